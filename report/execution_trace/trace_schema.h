// SPDX-License-Identifier: Apache-2.0
// Readers and writers of execution traces share these in addition to chakra.proto.
#pragma once

#include <cstdint>

#include "runtime/collective/schedule/operation.h"

namespace tahoma::runtime::chakra {

// Our attribute of a node: its duration without rounding.
inline constexpr const char* kExactDuration = "tahoma_duration_fs";
inline constexpr std::int64_t kFsPerMicrosecond = 1'000'000'000;

// The schema's collectives, by value. REDUCE_SCATTER_BLOCK is a reduce_scatter of equal blocks.
inline constexpr collective::Operation kCollectives[] = {
    collective::Operation::kAllReduce,     collective::Operation::kReduce,
    collective::Operation::kAllGather,     collective::Operation::kGather,
    collective::Operation::kScatter,       collective::Operation::kBroadcast,
    collective::Operation::kAllToAll,      collective::Operation::kReduceScatter,
    collective::Operation::kReduceScatter, collective::Operation::kBarrier};

}  // namespace tahoma::runtime::chakra
