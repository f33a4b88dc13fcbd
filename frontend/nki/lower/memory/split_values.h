// SPDX-License-Identifier: Apache-2.0
// One tensor for each value. Kernels fill a tensor anew in each iteration, and between its last read and the
// next filling it holds nothing; a tensor of its own for each value has a live range without such gaps.
#pragma once

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// The trace with a new tensor from each entry on that writes a whole on-chip tensor and reads nothing of it.
// Tensors at hand-given addresses, tensors that exchanges, registers or dynamic addresses use, and traces
// with loops on the device stay as they are.
Trace with_split_values(const Trace& trace);

}  // namespace tahoma::runtime::nki
