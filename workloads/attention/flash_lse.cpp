// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_lse.h"

#include <algorithm>

namespace tahoma::workloads {

using isa::AluOp, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::TileView;

namespace {

constexpr isa::DType kLseDType = isa::DType::kFp32;

}  // namespace

// Maxima, sums, their transposed results in two copies, ones and the identity.
std::uint64_t FlashLse::bytes(const FlashTiling& tiling) {
  return 6 * (std::uint64_t{tiling.chunk} * sizeof(float) + 63) / 64 * 64;
}

FlashLse::FlashLse(Kernel& kernel, const HbmView& lse, const FlashTiling& tiling, float scale,
                   runtime::Pool bank)
    : kernel_(kernel),
      tiling_(tiling),
      scale_(scale),
      bank_(bank),
      transposed_(kernel.sbuf("lse_rows", kLseDType, tiling.q_rows, 2)),
      lse_(lse),
      row_max_(kernel.take(kernel.sbuf("lse_tops", kLseDType, tiling.chunk), tiling.q_rows, tiling.chunk)),
      sums_(kernel.take(kernel.sbuf("lse_sums", kLseDType, tiling.chunk), tiling.q_rows, tiling.chunk)),
      identity_(
          kernel.take(kernel.sbuf("lse_identity", kLseDType, tiling.q_rows), tiling.q_rows, tiling.q_rows)) {
  const TileView ones =
      kernel.take(kernel.sbuf("lse_ones", kLseDType, tiling.q_rows), tiling.q_rows, tiling.q_rows);
  kernel.memset(ones, 1.0F, Queue::kGpSimd);
  kernel.affine_select(identity_, ones, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
}

void FlashLse::record(const FlashStep& step, const FlashTile& tile, const TileView& row_max,
                      const TileView& sum) {
  if (tiles_.size() == tiling_.chunk) finish();
  const auto column = static_cast<unsigned>(tiles_.size());
  tiles_.push_back({step.head, step.query + tile.first, tile.rows});
  kernel_.copy(row_max_.partitions(0, tile.rows).columns(column, 1), row_max, Queue::kGpSimd);
  kernel_.copy(sums_.partitions(0, tile.rows).columns(column, 1), sum, Queue::kVector);
}

// Adjacent columns are adjacent rows of `lse`, viewed as rows of tiles.
void FlashLse::finish() {
  const auto follows = [&](const Tile& a, const Tile& b) {
    return a.head == b.head && a.query + tiling_.q_rows == b.query && a.rows == b.rows;
  };
  unsigned first = 0;
  for (unsigned t = 1; t <= tiles_.size(); ++t) {
    if (t < tiles_.size() && follows(tiles_[t - 1], tiles_[t])) continue;
    finish_run(first, t - first);
    first = t;
  }
  tiles_.clear();
}

void FlashLse::finish_run(unsigned first, unsigned count) {
  const Tile& tile = tiles_[first];
  const TileView row_max = row_max_.partitions(0, tile.rows).columns(first, count),
                 sums = sums_.partitions(0, tile.rows).columns(first, count);
  kernel_.activation(sums, sums, isa::ActFn::kLog);
  kernel_.scalar_tensor_tensor(sums, row_max, AluOp::kMult, {scale_, nullptr}, AluOp::kAdd, sums);
  const TileView transposed = kernel_.take(bank_, count, tile.rows),
                 rows = kernel_.take(transposed_, count, tile.rows);
  kernel_.transpose(transposed, sums, identity_.partitions(0, tile.rows).columns(0, tile.rows));
  kernel_.copy(rows, transposed);
  HbmView window = lse_.window(tile.head, tile.query, 1, tile.rows);
  window.rows = count;
  window.row_stride = tiling_.q_rows;
  kernel_.store(window, rows, Queue::kGpSimd);
}

}  // namespace tahoma::workloads
