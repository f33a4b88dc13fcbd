// SPDX-License-Identifier: Apache-2.0
// tensor_reduce: folds of the innermost dimensions of a tile, several at a time.
#include <algorithm>

#include "isa/semantics/arithmetic/fold.h"
#include "isa/semantics/arithmetic/integer_alu.h"
#include "isa/semantics/semantics_integer.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/semantics/semantics_rows.h"

namespace tahoma::isa {
namespace {

// Splits the dimensions of `shape` at the first reduced one. Index 0 is the partition.
struct Split {
  Walk<2> kept;     // dst, src: one element per fold
  Walk<1> reduced;  // src: the elements of one fold, relative to its first
};

Split split(const Instruction& i, const CoreView& core, std::size_t axes) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  Split s{make_walk<2>(i.shape, {dst, src}), make_walk<1>(i.shape, {src})};
  for (std::size_t d = 0; d < kWalkDims; ++d) {
    (d + axes < kWalkDims ? s.reduced.count : s.kept.count)[d] = 1;
  }
  s.reduced.merge();
  s.kept.merge();
  return s;
}

// Start of up to kFolds folds, in dst and src.
struct Batch {
  std::array<std::byte*, kFolds> dst{}, src{};
  std::size_t size = 0;
};

void reduce_batch(const Instruction& i, const Walk<1>& reduced, const Batch& batch, Rounding* rounding) {
  std::array<ScratchRow, kFolds> scratch;
  Folds folds;
  // The offsets from a fold's first element are the same for all folds of the batch.
  reduced.for_each_piece(kScratch, [&](const std::array<std::byte*, 1>& at, std::size_t n) {
    const std::ptrdiff_t offset = at[0] - reduced.operand[0].at;
    FoldRows rows{};
    for (std::size_t k = 0; k < kFolds; ++k) {
      rows[k] = k < batch.size
                    ? load_dense_row(batch.src[k] + offset, reduced.row_step(0), i.src0.dtype, n, scratch[k])
                    : rows[0];
    }
    fold_rows(i.op0, rows, n, folds);
  });
  for (std::size_t k = 0; k < batch.size; ++k) {
    const float value = i.negate ? one_nan(-folds.value[k]) : folds.value[k];
    store_rounded(batch.dst[k], i.dst.dtype, value, rounding);
  }
}

void reduce_bits(const Instruction& i, const Split& s) {
  const std::size_t size = size_of(i.dst.dtype);
  s.kept.for_each_piece(1, [&](const std::array<std::byte*, 2>& at, std::size_t) {
    store_bits(at[0], size, fold_bits(i.op0, s.reduced, at[1] - s.reduced.operand[0].at));
  });
}

}  // namespace

void do_tensor_reduce(const Instruction& i, const CoreView& core) {
  const Split s = split(i, core, std::min<std::size_t>(i.axes, kFreeDims));
  if (is_bitwise(i.op0)) return reduce_bits(i, s);
  Batch batch;
  s.kept.for_each_piece(1, [&](const std::array<std::byte*, 2>& at, std::size_t) {
    batch.dst[batch.size] = at[0];
    batch.src[batch.size] = at[1];
    if (++batch.size < kFolds) return;
    reduce_batch(i, s.reduced, batch, core.rounding);
    batch.size = 0;
  });
  if (batch.size > 0) reduce_batch(i, s.reduced, batch, core.rounding);
}

}  // namespace tahoma::isa
