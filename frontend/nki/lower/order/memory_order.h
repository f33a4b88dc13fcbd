// SPDX-License-Identifier: Apache-2.0
// An order for kernels whose tensors do not fit on chip in program order. It starts the first entry of
// program order that is ready and whose tensors fit beside those that live; what does not fit waits until
// tensors have had their last use. Loads and memsets start only when an entry that needs them has nothing
// else to wait for, because they could otherwise fill the memory long before they are used.
#pragma once

#include <optional>

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// Nothing if no entry fits at some point, and for traces with loops on the device or hand-placed tensors.
std::optional<Trace> ordered_by_memory(const Trace& trace, const std::vector<isa::Queue>& queues);

}  // namespace tahoma::runtime::nki
