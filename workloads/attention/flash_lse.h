// SPDX-License-Identifier: Apache-2.0
// The log of every query's sum of exponentials: scale * maximum + log(sum). Maxima and sums are kept in
// columns, one for each tile of queries, and many are finished together, because the scalar engine's tables
// hold either the exponential or the logarithm.
#pragma once

#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

class FlashLse {
 public:
  // Writes lse [heads, q_len]; `bank`: a pool of PSUM banks of fp32 that it may use.
  FlashLse(runtime::Kernel& kernel, const runtime::HbmView& lse, const FlashTiling& tiling, float scale,
           runtime::Pool bank);

  static std::uint64_t bytes(const FlashTiling& tiling);  // of a partition in SBUF

  // Records columns [rows, 1] of a finished tile.
  void record(const FlashStep& step, const FlashTile& tile, const runtime::TileView& row_max,
              const runtime::TileView& sum);
  void finish();

 private:
  struct Tile {
    std::uint64_t head = 0, query = 0;
    unsigned rows = 0;
  };
  void finish_run(unsigned first, unsigned count);

  runtime::Kernel& kernel_;
  FlashTiling tiling_;
  float scale_;
  runtime::Pool bank_, transposed_;
  runtime::HbmView lse_;
  runtime::TileView row_max_, sums_, identity_;
  std::vector<Tile> tiles_;  // not finished yet
};

}  // namespace tahoma::workloads
