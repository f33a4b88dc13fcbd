// SPDX-License-Identifier: Apache-2.0
// Where a flash kernel keeps its tiles: the pools in SBUF and PSUM, the arguments in HBM, and which blocks of
// keys and values are on chip. A head's blocks stay in SBUF for all its tiles of queries when they fit, with
// those of the next head loaded beside them as far as room allows; longer heads are streamed again for every
// tile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/kernel.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

// Rounds between the first and the last stage of a step; flash_kernel.cpp says what is done in which.
inline constexpr unsigned kFlashDepth = 5;

struct FlashBlock {
  std::vector<runtime::TileView> k;  // per part of d: [part of d, keys]
  std::vector<runtime::TileView> v;  // per chunk of keys: [chunk, d]
};

class FlashMemory {
 public:
  FlashMemory(runtime::Kernel& kernel, const FlashShape& shape, const FlashTiling& tiling,
              const model::MachineParams& machine);

  std::vector<runtime::TileView> load_queries(const FlashStep& step);
  FlashBlock block(const FlashStep& step);  // loaded if it is not on chip
  void store(const FlashStep& step, const runtime::TileView& result);
  runtime::TileView identity(unsigned rows) const;

  runtime::TileView take_scores(const FlashStep& step) { return take(scores_, step.rows, step.keys); }
  runtime::TileView take_masked(const FlashStep& step) { return take(masked_, step.rows, step.keys); }
  runtime::TileView take_probabilities(const FlashStep& step) {
    return take(probabilities_, step.rows, step.keys);
  }
  runtime::TileView take_top(unsigned rows) { return take(tops_, rows, 1); }
  runtime::TileView take_column(unsigned rows) { return take(columns_, rows, 1); }
  // Sums that a tile keeps live longer than those of a single block.
  runtime::TileView take_sum(unsigned rows, bool of_tile) {
    return take(of_tile ? tile_sums_ : sums_, rows, 1);
  }
  runtime::TileView take_correction(unsigned rows) { return take(corrections_, rows, 1); }
  runtime::TileView take_transposed_psum(unsigned keys, unsigned columns) {
    return take(transposed_psum_, keys, columns);
  }
  runtime::TileView take_transposed(unsigned keys, unsigned columns) {
    return take(transposed_, keys, columns);
  }
  runtime::TileView take_product(unsigned rows) { return take(products_, rows, d_); }
  runtime::TileView take_output(unsigned rows) { return take(outputs_, rows, d_); }
  runtime::TileView take_result(unsigned rows) { return take(results_, rows, d_); }

 private:
  runtime::TileView take(runtime::Pool pool, unsigned partitions, unsigned columns) {
    return kernel_.take(pool, partitions, columns);
  }
  runtime::Pool sbuf(const std::string& name, isa::DType dtype, unsigned columns, unsigned copies);
  void make_working_pools(std::uint64_t psum_banks);
  void make_block_pools(std::uint64_t room);
  void make_identity();
  FlashBlock load_block(const FlashStep& step, unsigned keys);

  runtime::Kernel& kernel_;
  FlashShape shape_;
  FlashTiling tiling_;
  unsigned d_, d_parts_, block_chunks_;
  std::uint64_t sbuf_used_ = 0;
  runtime::HbmView qt_, kt_, v_, o_;
  runtime::Pool queries_, keys_, values_, scores_, masked_, probabilities_, tops_, columns_, tile_sums_,
      sums_, corrections_, transposed_psum_, transposed_, products_, outputs_, results_;
  runtime::TileView identity_;
  bool resident_ = false;
  std::uint64_t resident_head_ = UINT64_MAX;
  std::map<std::uint64_t, FlashBlock> blocks_;  // of resident_head_, by number
};

}  // namespace tahoma::workloads
