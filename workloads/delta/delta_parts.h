// SPDX-License-Identifier: Apache-2.0
// What chunks of a prefill and steps of a decoding have in common: tokens on partitions, at most `rows` at
// once.
#pragma once

#include "workloads/delta/delta_shape.h"

namespace tahoma::workloads {

class DeltaParts {
 public:
  DeltaParts(runtime::Kernel& kernel, const DeltaHeads& heads, const DeltaViews& views, float epsilon,
             unsigned rows);

  // The columns of some rows of `mixed` and `in`; later calls use the same tiles.
  struct Tokens {
    runtime::TileView mixed, z;
    runtime::TileView rate;   // [rows, value_heads] of fp32
    runtime::TileView decay;  // the same: g
    runtime::TileView query(const DeltaHeads& heads, std::uint64_t number) const;
    runtime::TileView key(const DeltaHeads& heads, std::uint64_t number) const;
    runtime::TileView value(const DeltaHeads& heads, std::uint64_t number) const;
  };
  Tokens load(std::uint64_t first, unsigned rows);
  // dst = factor x / |x| of each row.
  void normalise(const runtime::TileView& dst, const runtime::TileView& x, float factor);
  // Writes the outputs of the values from the first of these features on, with o [rows, normed] of fp32.
  void finish(const runtime::TileView& o, const Tokens& tokens, unsigned first,
              const runtime::TileView& output);
  runtime::TileView skip() const { return skip_; }  // of Mamba-2: [rows, value_heads]
  runtime::TileView output(unsigned rows);          // [rows, values] of bf16, which store() stores
  void store(const runtime::TileView& output, std::uint64_t first);

  // Of at least `rows` and value_dim rows and columns: fp32 and bf16; ones [the same, 128] of fp32.
  const runtime::TileView& identity() const { return identity_; }
  const runtime::TileView& narrow_identity() const { return narrow_; }
  const runtime::TileView& ones() const { return ones_; }
  // Returns sums [128, rows], in which every row has the elements of the column.
  runtime::TileView spread(const runtime::TileView& column, runtime::Pool diagonals, runtime::Pool psum);

 private:
  runtime::TileView vector(const char* name, const runtime::HbmView& row);

  runtime::Kernel& kernel_;
  DeltaHeads heads_;
  DeltaViews views_;
  float epsilon_;
  unsigned rows_;
  runtime::Pool mixed_, zs_, numbers_, factors_, squares_, columns_, gates_, outputs_;
  runtime::TileView rate_, shift_, skip_, gain_, identity_, narrow_, ones_;
};

}  // namespace tahoma::workloads
