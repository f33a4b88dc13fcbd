// SPDX-License-Identifier: Apache-2.0
// Masks of attention scores: tiles of 0 and -1e30 that the array adds to the scores in PSUM by a product with
// an identity. There is one tile for every way in which an edge of the mask crosses a tile of queries and a
// chunk of keys. These are few, because tiles and chunks repeat along an edge. For capped scores there are
// factors instead, 1 for a key that is seen and 0 for another one.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "runtime/builder/kernel.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

class FlashMasks {
 public:
  using Edges = std::pair<std::int64_t, std::int64_t>;  // Visibility::edges()

  // Each mask covers `rows` queries by `keys` keys.
  FlashMasks(runtime::Kernel& kernel, const std::set<Edges>& edges, unsigned rows, unsigned keys,
             bool factors = false);

  // Adds the mask of `edges` to scores [queries, keys].
  void hide(const runtime::TileView& scores, const Edges& edges) const;
  // Hides pairs in transposed scores, [keys, queries].
  void hide_transposed(const runtime::TileView& scores, const Edges& edges) const;
  // Returns the factors of transposed probabilities, [keys, queries].
  runtime::TileView seen(const Edges& edges, unsigned keys, unsigned rows) const;
  runtime::TileView identity(unsigned rows) const;  // bf16

 private:
  void make_mask(const runtime::TileView& tile, const Edges& edges) const;
  void make_factors(const runtime::TileView& tile, const Edges& edges) const;

  runtime::Kernel& kernel_;
  runtime::TileView identity_;
  std::map<Edges, runtime::TileView> tiles_;
};

// The edges of a tile of `tile_rows` queries and a chunk of keys, over everything that a flash kernel
// computes.
std::set<FlashMasks::Edges> edges_of(const FlashShape& shape, unsigned tile_rows, unsigned chunk);

}  // namespace tahoma::workloads
