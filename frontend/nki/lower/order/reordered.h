// SPDX-License-Identifier: Apache-2.0
// A trace whose entries are in another order.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// Whether entries may move at all: not with loops on the device, whose bodies stay together, and not with
// on-chip tensors at hand-given addresses, which may share bytes without a dependence.
bool is_movable(const Trace& trace);
// Whether a transfer's address is known only while the kernel runs. The list scheduler keeps the order of
// such traces: a transfer that is skipped because its row is out of bounds would otherwise leave others
// unordered.
bool computes_addresses(const Trace& trace);

// `order`: entries of the trace, each at most once. The others are left out.
Trace in_order(const Trace& trace, const std::vector<std::uint32_t>& order);
// `queues`: by entry; they stay the same in the new order.
Trace reordered(const Trace& trace, const std::vector<std::uint32_t>& order,
                const std::vector<isa::Queue>& queues);

}  // namespace tahoma::runtime::nki
