// SPDX-License-Identifier: Apache-2.0
// Ring reduce-scatter over HBM, run by the two collective cores of each NeuronCore.
//
// Every rank holds a partial matrix of fp32. Its rows are cut into one chunk per rank; rank r ends with the
// sum of all ranks' chunk r, cast to the output's dtype. Each chunk is split in two: collective core 0 moves
// the upper half around the ring upwards (to rank + 1), collective core 1 the lower half downwards, so both
// directions of the links carry traffic. A half is split again into kLanes lanes, so that one lane travels
// while another is added. In each of the ranks - 1 steps a lane sends its part of one chunk into a staging
// slot of the neighbour, waits for the one that arrives here and adds it to the core's own partial by an
// accumulating DMA.
//
// Order of the sum (it decides the bits): upper halves ((p[r+1] + p[r+2]) + ...) + p[r], lower halves
// ((p[r-1] + p[r-2]) + ...) + p[r], indices modulo the number of ranks, every addition rounded to fp32.
//
// Staging has kStagingSlots slots a lane. A slot is written again only after its reader has acknowledged, by
// a transfer of one small row against the direction of the ring.
#pragma once

#include <string>
#include <vector>

#include "runtime/kernel.h"

namespace tahoma::runtime {

inline constexpr std::uint32_t kDirections = 2, kLanes = 2;  // lanes of one direction
inline constexpr std::uint32_t kStagingSlots = 2;
inline constexpr std::uint64_t kAckColumns = 16;  // fp32 of an acknowledgement: one HBM access

struct RingRank {
  std::uint32_t rank = 0, ranks = 1;  // at least 2 ranks
};

// Rows of one direction's staging tensor [lanes x slots x rows of a slot, columns of the partial], for
// partials of `rows` rows, and of its tensor of acknowledgements, [ack_rows, kAckColumns].
std::uint64_t staging_rows(std::uint64_t rows, std::uint32_t ranks);
std::uint64_t ack_rows(std::uint32_t ranks);

// The arguments that ring_reduce_scatter() declares for direction 0 (upwards) and then for direction 1, in
// this order; "next" is the neighbour in the direction's sense, "previous" the other one.
struct RingArguments {
  HbmView staging;       // own: [staging_rows, columns] fp32
  HbmView next_staging;  // the next rank's
  std::uint8_t next_core;
  HbmView previous_ack;  // the previous rank's: [ack_rows, kAckColumns] fp32, never read
  std::uint8_t previous_core;
};

// Appends the collective to the kernel. `partial`: [rows, columns] fp32, written by this kernel; `out`: [rows
// of chunk `rank`, columns]. Takes 2 x kStagingSlots x kDirections x kLanes signals and ten arguments.
// Programs of all ranks must take their signals in the same order.
void ring_reduce_scatter(Kernel& kernel, const RingRank& place, const HbmView& partial, const HbmView& out);

}  // namespace tahoma::runtime
