// SPDX-License-Identifier: Apache-2.0
// How data are split into channels and pieces.
//
// Every transfer costs a doorbell, and on each of 16 engines at least one packet with a semaphore, regardless
// of its size. A channel must therefore be worth its cost: the number of channels leaves its largest
// transfers at least kChannelBytes, and the number of pieces leaves them kPieceBytes, enough for four DMA
// engines at packets of 64 KiB. More than kMostPieces bring no gain: with p pieces, filling and emptying the
// pipeline takes 1 / p of the time by which sequential rounds exceed their busiest resource
// (runtime/collective/cost/cost.h).
#pragma once

#include "isa/core/dtype.h"
#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

inline constexpr std::uint64_t kChannelBytes = 16UL * 1024, kPieceBytes = 256UL * 1024;
inline constexpr std::uint32_t kMostPieces = 16;

// Counts the chunks of the largest transfer between ranks.
std::uint32_t most_chunks(const Schedule& schedule);

// Number of channels for chunks of `vector_bytes` in total, at most `queues`.
std::uint32_t channels_for(const AlgorithmRow& algorithm, const Problem& problem, const Grid& grid,
                           std::uint64_t vector_bytes, std::uint32_t queues);

// Returns the number of pieces of a channel with chunks of `chunk_bytes`; fewer if they would need more than
// `signals` semaphores of a core.
std::uint32_t pieces_for(const Schedule& schedule, std::uint64_t chunk_bytes, bool uneven,
                         std::uint32_t signals);

}  // namespace tahoma::runtime::collective
