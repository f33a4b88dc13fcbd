// SPDX-License-Identifier: Apache-2.0
// Size and bus bandwidth of an all_to_all whose chunks have different sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/collective/schedule/operation.h"

namespace tahoma::runtime::collective {

// Returns what a rank of an all_to_all sends on average, rounded up. `counts`: of each chunk, in any unit.
std::uint64_t mean_sent(const Problem& problem, const std::vector<std::uint64_t>& counts);

// Bus bandwidth over algorithm bandwidth (runtime/collective/schedule/operation.h). With chunks of `counts`,
// it is the share of the sent data that leaves its rank. It is 0 for a permute that moves nothing between
// ranks.
double bus_factor_of(const Problem& problem, const std::vector<std::uint64_t>& counts);

}  // namespace tahoma::runtime::collective
