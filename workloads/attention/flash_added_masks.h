// SPDX-License-Identifier: Apache-2.0
// Masks in HBM on chip: tiles of [queries, keys of a block], which the array adds to scores in PSUM by a
// product with an identity. A tile is loaded on first use and kept until its space is needed.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

class FlashAddedMasks {
 public:
  FlashAddedMasks(runtime::Kernel& kernel, const FlashShape& shape, const FlashTiling& tiling,
                  const FlashViews& views);

  static std::uint64_t bytes(const FlashShape& shape, const FlashTiling& tiling);  // of a partition in SBUF

  // Adds all masks to scores [queries of the tile, keys from `key` on], or to transposed ones.
  void add(const runtime::TileView& scores, const FlashStep& step, const FlashTile& tile, std::uint64_t key);
  void add_transposed(const runtime::TileView& scores, const FlashStep& step, const FlashTile& tile,
                      std::uint64_t key);

 private:
  struct Held {
    runtime::TileView tile;
    std::uint64_t place = UINT64_MAX, query = 0, block = 0, used = 0;
  };
  struct Mask {
    FlashMaskView view;
    runtime::TileView identity;
    std::vector<Held> held;
  };
  runtime::TileView tile_of(Mask& mask, const FlashStep& step, const FlashTile& tile);

  runtime::Kernel& kernel_;
  FlashShape shape_;
  FlashTiling tiling_;
  std::vector<Mask> masks_;
  std::uint64_t uses_ = 0;
};

}  // namespace tahoma::workloads
