// SPDX-License-Identifier: Apache-2.0
// Which (head, tile of queries, block of keys) steps a flash kernel makes, in order. Blocks that a causal
// mask hides from a whole tile are skipped, and the last block ends at the last key that the tile sees.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/attention/flash_kernel.h"

namespace tahoma::workloads {

struct FlashStep {
  std::uint64_t head = 0;
  std::uint64_t query = 0;  // first of the tile
  unsigned rows = 0;        // queries
  std::uint64_t block = 0;  // number of the block within the head
  std::uint64_t key = 0;    // first of the block
  unsigned keys = 0;
  bool first = false, last = false;  // of the tile
  bool masked = false;               // some of its scores are hidden
  std::int32_t diagonal = 0;         // masked: row p sees the block's keys i <= diagonal + p
};

std::vector<FlashStep> flash_steps(const FlashShape& shape, const FlashTiling& tiling);

// Pairs of query and key that are seen, over all heads: 4 d floating-point operations each.
double visible_pairs(const FlashShape& shape);

}  // namespace tahoma::workloads
