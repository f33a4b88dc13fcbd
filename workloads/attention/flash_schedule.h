// SPDX-License-Identifier: Apache-2.0
// What a flash kernel computes in which order: groups of queries walk over blocks of keys. Blocks, chunks and
// tiles that no query sees are not there.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/attention/flash_kernel.h"

namespace tahoma::workloads {

// Rows [q, q + rows) of one head and keys [k, k + keys): does any pair see, do all, and where between.
// Row p of the tile sees its keys lower + p <= i <= upper + p.
struct Visibility {
  bool any = true, all = true;
  std::int64_t upper = kNoUpper, lower = kNoLower;  // where they hide something
  static constexpr std::int64_t kNoUpper = INT32_MAX, kNoLower = INT32_MIN;
  std::pair<std::int64_t, std::int64_t> edges() const { return {lower, upper}; }
};
Visibility visibility(const FlashShape& shape, std::uint64_t q, std::uint64_t rows, std::uint64_t k,
                      std::uint64_t keys);

// Keys [first, second) that a query sees.
std::pair<std::uint64_t, std::uint64_t> keys_of(const FlashShape& shape, std::uint64_t query);

// A tile of queries in a step: rows [first, first + rows) of the group and the keys of this step's block that
// it sees, from the first of a chunk on.
struct FlashTile {
  unsigned index = 0, first = 0, rows = 0;
  std::uint64_t key_begin = 0, key_end = 0;
  bool opens = false, closes = false;  // its first step, its last
};

// A group of queries meets a block of keys.
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

// The groups of queries of one head that part `part` of `parts` has: assigned back and forth, so that those
// that see many keys behind a causal mask meet those that see few.
std::vector<std::uint64_t> groups_of_part(std::uint64_t groups, std::uint64_t part, std::uint64_t parts);

// Pairs of query and key that are seen, over all heads of all parts: 4 d floating-point operations each.
double visible_pairs(const FlashShape& shape);

}  // namespace tahoma::workloads
