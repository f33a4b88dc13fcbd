// SPDX-License-Identifier: Apache-2.0
// What the chunks of a prefill have in common with both rules: sums of decays, and products of all pairs of
// the tokens of a chunk.
#pragma once

#include "workloads/delta/delta_parts.h"

namespace tahoma::workloads {

class ChunkParts {
 protected:
  // Chunks of at most `most` tokens.
  ChunkParts(runtime::Kernel& kernel, const DeltaHeads& heads, const DeltaViews& views, float epsilon,
             unsigned most);

  runtime::TileView take(runtime::Pool pool, unsigned columns) { return kernel_.take(pool, n_, columns); }
  runtime::TileView square(runtime::Pool pool) { return kernel_.take(pool, n_, n_); }
  runtime::TileView copied(runtime::Pool pool, const runtime::TileView& from);
  runtime::TileView product(const runtime::TileView& stationary, const runtime::TileView& moving,
                            runtime::Pool pool);
  // A function of a factor of each token and head.
  runtime::TileView scaled(const runtime::TileView& from, isa::ActFn fn, float scale);
  // [rows, value_heads] in PSUM: sums of the decays from the begin of the chunk.
  runtime::TileView sums(const runtime::TileView& decay, runtime::Pool pool);
  runtime::TileView turned(const runtime::TileView& x);  // bf16
  // exp(+-(G_i - G_j)), in which only pairs with `compare` of column and row are not 0.
  runtime::TileView decays(const runtime::TileView& spread, float sign, const runtime::TileView& other,
                           std::int32_t of_row, std::int16_t of_column, isa::CompareOp compare);

  runtime::Kernel& kernel_;
  DeltaHeads heads_;
  DeltaViews views_;
  // Features of a key, or of an equal part of one that the array can hold, and of a value; tokens of the
  // chunk.
  unsigned d_, width_, n_ = 0;
  DeltaParts parts_;
  runtime::Pool factors_, squares_, scores_, turned_, spread_psum_, turned_psum_;

 private:
  runtime::TileView triangle_;
};

}  // namespace tahoma::workloads
