// SPDX-License-Identifier: Apache-2.0
// The order of a flash kernel's stages: a software pipeline over quads, the chunks of a step whose transposed
// scores are in flight at the same time. While the exponentials of one quad are computed, the array
// multiplies the probabilities of the previous one by the values and computes scores for the maxima of later
// steps, so that no stage waits for results of its own round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

// Chunks [begin, end) of a step's head.
struct FlashQuad {
  std::size_t step = 0;
  std::uint64_t begin = 0, end = 0;
  bool opens = false, closes = false;  // of the step
};

// A matmul for the maxima: keys [begin, end) of one tile of a step.
struct FlashPiece {
  std::size_t step = 0, tile = 0;
  std::uint64_t begin = 0, end = 0;
  unsigned number = 0;  // within the tile
  bool last = false;    // of the step
};

// The work of a round beside its quad.
struct FlashRound {
  std::size_t pieces_end = 0;  // pieces complete at the end of the round
  std::size_t rows_end = 0;    // steps whose maxima have been transposed into rows by then
};

struct FlashOrder {
  std::vector<FlashQuad> quads;
  std::vector<FlashPiece> pieces;
  FlashRound before;               // the first round
  std::vector<FlashRound> rounds;  // one per quad
};
FlashOrder flash_order(const std::vector<FlashStep>& steps, const FlashTiling& tiling);

}  // namespace tahoma::workloads
