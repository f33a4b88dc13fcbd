// SPDX-License-Identifier: Apache-2.0
#include "workloads/delta/chunk_parts.h"

namespace tahoma::workloads {

using isa::ActFn, isa::CompareOp, isa::DType;
using runtime::Kernel, runtime::Pool, runtime::Stationary, runtime::TileView;

ChunkParts::ChunkParts(Kernel& kernel, const DeltaHeads& heads, const DeltaViews& views, float epsilon,
                       unsigned most)
    : kernel_(kernel),
      heads_(heads),
      views_(views),
      d_(narrow(heads.key_part())),
      width_(narrow(heads.value_dim)),
      parts_(kernel, heads, views, epsilon, most),
      factors_(kernel.sbuf("factors of tokens", DType::kFp32, narrow(heads.value_heads), 12)),
      squares_(kernel.sbuf("squares of tokens", DType::kFp32, most, 12)),
      scores_(kernel.sbuf("scores", DType::kFp32, most, 4)),
      turned_(kernel.sbuf("turned queries and keys", DType::kBf16, most, 4 * narrow(heads.key_parts()))),
      spread_psum_(kernel.psum("spread", DType::kFp32, most, 1)),
      turned_psum_(kernel.psum("turned", DType::kBf16, most, 1)),
      triangle_(kernel.take(kernel.sbuf("triangle", DType::kFp32, most, 1), most, most)) {
  // Row k of column m is 1 for k <= m.
  kernel.affine_select(triangle_, parts_.ones().partitions(0, most).columns(0, most), 0, -1, 1,
                       CompareOp::kGe, 0);
}

TileView ChunkParts::copied(Pool pool, const TileView& from) {
  const TileView to = kernel_.take(pool, from.shape.partitions, from.shape.count[isa::kFreeDims - 1]);
  kernel_.copy(to, from);
  return to;
}

TileView ChunkParts::product(const TileView& stationary, const TileView& moving, Pool pool) {
  const TileView made =
      kernel_.take(pool, stationary.shape.count[isa::kFreeDims - 1], moving.shape.count[isa::kFreeDims - 1]);
  kernel_.matmul(made, stationary, moving, false);
  return made;
}

TileView ChunkParts::scaled(const TileView& from, ActFn fn, float scale) {
  const TileView to = take(factors_, narrow(heads_.value_heads));
  kernel_.activation(to, from, fn, {scale, nullptr});
  return to;
}

TileView ChunkParts::sums(const TileView& decay, Pool pool) {
  const TileView made = kernel_.take(pool, n_, narrow(heads_.value_heads));
  kernel_.matmul(made,
                 Stationary(triangle_.partitions(0, n_).columns(0, n_), isa::MatmulMode::kOneZeroStationary),
                 decay, false);
  return made;
}

TileView ChunkParts::turned(const TileView& x) {
  const TileView made = kernel_.take(turned_psum_, d_, n_);
  kernel_.transpose(made, x, parts_.narrow_identity().partitions(0, n_).columns(0, n_));
  return copied(turned_, made);
}

TileView ChunkParts::decays(const TileView& spread, float sign, const TileView& other, std::int32_t of_row,
                            std::int16_t of_column, CompareOp compare) {
  const TileView all = square(squares_), kept = square(squares_);
  kernel_.activation(all, spread.partitions(0, n_), ActFn::kExp, {sign, nullptr}, {0, &other});
  kernel_.affine_select(kept, all, 0, of_row, of_column, compare, 0);
  return kept;
}

}  // namespace tahoma::workloads
