// SPDX-License-Identifier: Apache-2.0
// The memory of a backward kernel: windows in HBM, pools in SBUF and PSUM, and the queries, keys and values
// on chip.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/attention/backward/flash_backward.h"
#include "workloads/attention/flash_masks.h"

namespace tahoma::workloads {

// A block of keys: d-major parts [part of d, keys] of K and V, and K's rows [chunk, d] per chunk.
struct BackwardKeys {
  std::vector<runtime::TileView> kt, vt, k;
};
// A tile of queries: columns of d-major parts, rows [rows, d], and columns [rows, 1] of -LSE and D.
struct BackwardQueries {
  std::vector<runtime::TileView> qt, dot;
  runtime::TileView q, d_o, negated_lse, delta;
};

class BackwardMemory {
 public:
  BackwardMemory(runtime::Kernel& kernel, const FlashShape& shape, const BackwardTiling& tiling,
                 const FlashBackwardViews& views);

  // Counts the bytes of a partition: everything except dQ, LSE and D, and these for one tile of queries.
  static std::uint64_t working_bytes(const FlashShape& shape, const BackwardTiling& tiling);
  static std::uint64_t tile_bytes(const FlashShape& shape);

  void open_segment(const BackwardSegment& segment);  // LSE, and D if it is an input
  BackwardKeys load_keys(const BackwardBlock& block);
  BackwardQueries queries(const BackwardSegment& segment, const BackwardUnit& unit);
  const FlashMasks& masks() const { return masks_; }
  runtime::TileView identity(unsigned rows) const;  // of the dtype's width

  runtime::TileView take_scores() { return take(scores_, keys()); }
  runtime::TileView take_dp() { return take(dp_, keys()); }
  runtime::TileView take_p() { return take(p_, keys()); }
  runtime::TileView take_ds() { return take(ds_, keys()); }
  runtime::TileView take_transposed_psum() {
    return take(transposed_psum_, tiling_.block_chunks * tiling_.q_rows);
  }
  runtime::TileView take_transposed() { return take(transposed_, tiling_.block_chunks * tiling_.q_rows); }
  runtime::TileView take_dq_psum() { return take(dq_psum_, static_cast<unsigned>(shape_.d)); }
  runtime::TileView take_result() { return take(results_, static_cast<unsigned>(shape_.d)); }
  runtime::TileView take_sum() { return take(sums_, static_cast<unsigned>(shape_.d)); }
  runtime::TileView dq(std::size_t tile, unsigned rows) const;     // fp32 in SBUF
  runtime::TileView dk_psum(unsigned chunk, unsigned keys) const;  // of the block
  runtime::TileView dv_psum(unsigned chunk, unsigned keys) const;

  // Windows of the results: rows of a tile of queries, and of a chunk of keys in dk or dv.
  runtime::HbmView dq_window(const BackwardTile& tile) const;
  runtime::HbmView key_window(const runtime::HbmView& all, const BackwardBlock& block, unsigned chunk) const;
  const FlashBackwardViews& views() const { return views_; }

 private:
  struct Group {  // tiles of queries on chip
    std::uint64_t head = UINT64_MAX, first = 0;
    std::vector<runtime::TileView> qt, dot, q, d_o;
  };
  unsigned keys() const { return tiling_.block_chunks * tiling_.chunk; }
  runtime::TileView take(runtime::Pool pool, unsigned columns) {
    return kernel_.take(pool, tiling_.chunk, columns);
  }
  std::vector<runtime::TileView> load_parts(runtime::Pool pool, const runtime::HbmView& from,
                                            std::uint64_t head, std::uint64_t first, unsigned count);
  runtime::HbmView query_window(const runtime::HbmView& all, std::uint64_t head, std::uint64_t first,
                                std::uint64_t count) const;
  void make_delta(const BackwardTile& tile, const BackwardQueries& queries);  // by rows
  void load_columns(const runtime::TileView& to, const runtime::HbmView& from,
                    const BackwardSegment& segment);
  void load_group(const BackwardTile& tile);
  void make_pools();

  runtime::Kernel& kernel_;
  FlashShape shape_;
  BackwardTiling tiling_;
  FlashBackwardViews views_;
  runtime::Pool query_parts_, query_rows_, key_parts_, key_rows_, p_, ds_, transposed_, results_, sums_,
      scores_, dp_, transposed_psum_, dq_psum_, output_rows_, output_products_;
  runtime::TileView lse_, delta_, dq_sum_, dk_psum_, dv_psum_, wide_identity_;
  FlashMasks masks_;
  Group group_;
};

}  // namespace tahoma::workloads
