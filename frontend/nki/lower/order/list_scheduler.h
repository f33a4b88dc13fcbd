// SPDX-License-Identifier: Apache-2.0
// List scheduling of a trace. The queues are simulated with estimated durations (estimates.h): each queue
// starts, among its entries that are ready and whose tensors fit (memory_plan.h), the first one of the
// trace's order. What waits for nothing thus fills the time in which a queue would wait: the transposes of
// the next tile, while the copies of this one's are under way.
#pragma once

#include <optional>

#include "frontend/nki/lower/memory/allocate.h"
#include "frontend/nki/lower/order/estimates.h"
#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

// The trace in that order; its tensors take at most `capacity` at any time. Nothing if they take more in the
// trace's own order, and for traces with loops on the device or hand-placed tensors.
std::optional<Trace> list_scheduled(const Trace& trace, const std::vector<isa::Queue>& queues,
                                    const Estimator& estimator, const Units& capacity);

}  // namespace tahoma::runtime::nki
