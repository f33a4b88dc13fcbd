// SPDX-License-Identifier: Apache-2.0
// Ranges that the parameters of engines have in common.
#pragma once

#include "isa/core/instruction.h"
#include "model/base/params.h"

namespace tahoma::model {

inline constexpr base::Range<base::Frequency> kClockRange{{1'000'000}, {100'000'000'000}};
inline constexpr base::Range<base::Duration> kLatency{{0}, {1'000'000'000'000}};  // 1 ms
// Rows and columns of an array, partitions: as many as an instruction can name.
inline constexpr base::Range<std::uint64_t> kPartitionRange{1, isa::kMostPartitions};
inline constexpr base::Range<base::Cycles> kOverhead{{0}, {100'000}};

}  // namespace tahoma::model
