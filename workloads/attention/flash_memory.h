// SPDX-License-Identifier: Apache-2.0
// The memory of a flash kernel: the views in HBM and the pools in SBUF and PSUM.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/attention/flash_added_masks.h"
#include "workloads/attention/flash_blocks.h"
#include "workloads/attention/flash_masks.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

class FlashMemory {
 public:
  FlashMemory(runtime::Kernel& kernel, const FlashShape& shape, const FlashTiling& tiling,
              const model::MachineParams& machine, const FlashViews& views);

  // Counts the bytes of a partition without the blocks of keys and values.
  static std::uint64_t working_bytes(const FlashShape& shape, const FlashTiling& tiling);

  std::vector<runtime::TileView> load_queries(const FlashStep& step);  // per part of d: [part of d, rows]
  const FlashBlock& block(const FlashStep& step) { return blocks_.block(step); }
  void store(const FlashStep& step, const FlashTile& tile, const runtime::TileView& result);
  const FlashMasks& masks() const { return masks_; }
  FlashAddedMasks& added() { return added_; }
  // -1 on the first partition of a lane: [1, keys], stationary for a row of maxima.
  runtime::TileView minus_one(unsigned lane, unsigned keys) const;
  // Returns all of a step's tiles on a lane's first partition: [1, rows] of the result of take_maxima_row().
  static runtime::TileView row_of_lane(const runtime::TileView& row, unsigned lane);

  runtime::Pool scores() const { return scores_; }  // PSUM banks of fp32
  runtime::TileView take_scores() { return take(scores_, tiling_.score_keys); }
  runtime::TileView take_transposed() { return take(transposed_, tiling_.group_rows()); }
  runtime::TileView product(const FlashTile& tile) const;  // [rows, values + 1] in PSUM
  runtime::TileView take_maxima() { return take(maxima_, tiling_.group_tiles * pieces()); }
  runtime::TileView take_row_max() { return take(row_max_, tiling_.group_tiles); }
  runtime::TileView take_column() { return take(columns_, tiling_.group_tiles); }
  runtime::TileView take_corrections() { return take(corrections_, tiling_.group_tiles); }
  runtime::TileView take_maxima_row() { return take(rows_, tiling_.group_rows()); }
  runtime::TileView take_bounded() { return take(bounded_, tiling_.group_rows()); }  // of capped scores
  runtime::TileView take_probabilities() { return take(probabilities_, tiling_.group_rows()); }
  runtime::TileView take_output() { return take(outputs_, tiling_.group_tiles * tiling_.value_pitch); }
  runtime::TileView take_inverse() { return take(inverses_, 1); }
  runtime::TileView take_result() { return take(results_, static_cast<unsigned>(shape_.values())); }

  // Matmuls of a block's keys for one tile of queries.
  unsigned pieces() const;
  // Partitions of a row of maxima on every lane.
  unsigned lane_partitions() const;

 private:
  runtime::TileView take(runtime::Pool pool, unsigned columns) {
    return kernel_.take(pool, tiling_.chunk, columns);
  }
  void make_pools();
  void make_products();

  runtime::Kernel& kernel_;
  FlashShape shape_;
  FlashTiling tiling_;
  FlashViews views_;
  runtime::Pool queries_, scores_, transposed_, maxima_, row_max_, columns_, corrections_, rows_,
      probabilities_, bounded_, outputs_, inverses_, results_;
  std::vector<runtime::TileView> products_;  // of a bank, or of a tile if it needs several
  runtime::TileView minus_one_;
  FlashMasks masks_;
  FlashAddedMasks added_;
  FlashBlocks blocks_;
};

}  // namespace tahoma::workloads
