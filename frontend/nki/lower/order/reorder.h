// SPDX-License-Identifier: Apache-2.0
// A second order of a kernel's entries, for kernels that do not fit on chip in program order. The vendor's
// compiler moves instructions to shorten live ranges; this does the two moves that the public kernels need:
//   - loads and memsets move down to just before the first entry that uses their tensor again;
//   - copies from PSUM to SBUF move up to just after the last entry that wrote their source.
// Before that, each value of a tensor that is filled anew gets a tensor of its own (memory/split_values.h).
// A move passes only entries that touch neither its source nor its destination, so values stay the same.
#pragma once

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// The entries of the trace in that order. A trace with loops on the device is returned as it is.
Trace with_short_ranges(const Trace& trace);

}  // namespace tahoma::runtime::nki
