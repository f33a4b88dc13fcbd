// SPDX-License-Identifier: Apache-2.0
// The order of a flash kernel: groups of queries iterate over blocks of keys. Blocks, chunks and tiles that
// no query sees are omitted.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/attention/flash_kernel.h"

namespace tahoma::workloads {

// For rows [q, q + rows) of one head and keys [k, k + keys): whether any pair is visible, whether all are,
// and the limits. Row p of the tile sees its keys lower + p <= i <= upper + p.
struct Visibility {
  bool any = true, all = true;
  std::int64_t upper = kNoUpper, lower = kNoLower;  // if they hide any key
  static constexpr std::int64_t kNoUpper = INT32_MAX, kNoLower = INT32_MIN;
  std::pair<std::int64_t, std::int64_t> edges() const { return {lower, upper}; }
};
Visibility visibility(const FlashShape& shape, std::uint64_t q, std::uint64_t rows, std::uint64_t k,
                      std::uint64_t keys);

// Keys [first, second) that a query sees.
std::pair<std::uint64_t, std::uint64_t> keys_of(const FlashShape& shape, std::uint64_t query);

// A tile of queries in a step: rows [first, first + rows) of the group, and the keys of this step's block
// that it sees, starting at the first of a chunk.
struct FlashTile {
  unsigned index = 0, first = 0, rows = 0;
  std::uint64_t key_begin = 0, key_end = 0;
  bool opens = false, closes = false;  // the tile's first and last step
};

// A group of queries with a block of keys.
struct FlashStep {
  std::uint64_t head = 0;  // of the core's
  std::uint64_t kv_head = 0;
  std::uint64_t query = 0;                   // first of the group
  unsigned rows = 0;                         // queries of the group
  std::uint64_t block = 0;                   // number of the block within the head
  std::uint64_t key_begin = 0, key_end = 0;  // seen by any tile, from the first of a chunk on
  std::vector<FlashTile> tiles;              // those that see some of it, neighbours
  bool opens = false, closes = false;        // of the group
};

std::vector<FlashStep> flash_steps(const FlashShape& shape, const FlashTiling& tiling);

// The groups of queries of one head that part `part` of `parts` has. They are assigned back and forth, which
// balances groups that see many keys behind a causal mask with those that see few.
std::vector<std::uint64_t> groups_of_part(std::uint64_t groups, std::uint64_t part, std::uint64_t parts);

// Visible pairs of query and key, over all heads of all parts: 4 d floating-point operations each.
double visible_pairs(const FlashShape& shape);

}  // namespace tahoma::workloads
