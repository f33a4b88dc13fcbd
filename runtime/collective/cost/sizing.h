// SPDX-License-Identifier: Apache-2.0
// How far data are cut: into channels and pieces.
//
// Every transfer costs a doorbell, and on each of 16 engines at least a packet with a semaphore, whatever its
// size. So a channel must be worth it: channels are as many as leave its largest transfers kChannelBytes, and
// pieces as many as leave them kPieceBytes, enough for four DMA engines at packets of 64 KiB. More than
// kMostPieces do not pay: with p pieces filling and emptying the pipeline takes 1 / p of what the rounds take
// one after the other beyond their busiest resource (runtime/collective/cost/cost.h).
#pragma once

#include "isa/core/dtype.h"
#include "runtime/collective/algorithm/algorithm.h"

namespace tahoma::runtime::collective {

inline constexpr std::uint64_t kChannelBytes = 16UL * 1024, kPieceBytes = 256UL * 1024;
inline constexpr std::uint32_t kMostPieces = 16;

// Chunks of the largest transfer between ranks.
std::uint32_t most_chunks(const Schedule& schedule);

// Channels for chunks of so many bytes, at most `queues`.
std::uint32_t channels_for(const AlgorithmRow& algorithm, const Problem& problem, const Grid& grid,
                           std::uint64_t vector_bytes, std::uint32_t queues);

// Pieces of a channel whose chunks have so many bytes; fewer when they would take more than `signals`
// semaphores of a core.
std::uint32_t pieces_for(const Schedule& schedule, std::uint64_t chunk_bytes, bool uneven,
                         std::uint32_t signals);

}  // namespace tahoma::runtime::collective
