// SPDX-License-Identifier: Apache-2.0
// What hides scores: tiles of 0 and -1e30 that the array adds to them in PSUM, against an identity. One tile
// for every way in which an edge of the mask crosses a tile of queries and a chunk of keys; few, because
// tiles and chunks repeat along an edge.
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

  // `rows` queries by `keys` keys each.
  FlashMasks(runtime::Kernel& kernel, const std::set<Edges>& edges, unsigned rows, unsigned keys);

  // scores [queries, keys] += what `edges` hide.
  void hide(const runtime::TileView& scores, const Edges& edges) const;
  // The same where the scores lie transposed, [keys, queries].
  void hide_transposed(const runtime::TileView& scores, const Edges& edges) const;
  runtime::TileView identity(unsigned rows) const;  // bf16

 private:
  runtime::Kernel& kernel_;
  runtime::TileView identity_;
  std::map<Edges, runtime::TileView> tiles_;
};

// Those of a tile of `tile_rows` queries and a chunk of keys, over all that a flash kernel computes.
std::set<FlashMasks::Edges> edges_of(const FlashShape& shape, unsigned tile_rows, unsigned chunk);

}  // namespace tahoma::workloads
