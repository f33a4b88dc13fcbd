// SPDX-License-Identifier: Apache-2.0
// A kernel whose tensors do not fit in SBUF in any order: some of them spend the time between two uses in
// HBM. When room is needed, the tensor whose next use is farthest leaves. It is stored if HBM does not have
// its value, and loaded before its next use into another place. A tensor that a load from the kernel's
// input has filled needs no store: the load is repeated. (The shipped compiler spills, too: measured
// kernels move more bytes than they ask for. Which tensors it chooses is not published.)
#pragma once

#include <optional>

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

struct Spilled {
  Trace trace;
  std::uint64_t stores = 0, loads = 0, bytes = 0;  // that the kernel did not ask for
};

// Nothing if one entry's tensors do not fit by themselves, and for traces that must keep their order.
// `share`: of SBUF that tensors keep, in per cent; the rest is for loads ahead of their use, and for gaps
// between addresses.
std::optional<Spilled> with_spills(const Trace& trace, std::int64_t share);

}  // namespace tahoma::runtime::nki
