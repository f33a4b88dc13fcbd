// SPDX-License-Identifier: Apache-2.0
// Instructions that fold elements: tensor_reduce and activation_reduce. The order inside one fold is
// architected and serial, so speed comes from doing several folds side by side.
#include <algorithm>

#include "isa/activation_kernel.h"
#include "isa/alu.h"
#include "isa/row_access.h"
#include "isa/semantics_ops.h"
#include "isa/walk.h"

namespace tahoma::isa {
namespace {

constexpr std::size_t kFolds = 8;  // enough independent sums to hide the latency of one addition

// Folds in progress. `started`: the folds hold their first element.
struct Folds {
  std::array<float, kFolds> value{};
  bool started = false;
};

template <AluOp op>
void fold_serially(const std::array<const float*, kFolds>& rows, std::size_t from, std::size_t n,
                   std::array<float, kFolds>& value) {
  std::array<float, kFolds> sum = value;
  for (std::size_t i = from; i < n; ++i) {
    for (std::size_t k = 0; k < kFolds; ++k) {
      // NaNs are made one at the end: they cannot turn back into numbers on the way.
      sum[k] = op == AluOp::kAdd    ? sum[k] + rows[k][i]
               : op == AluOp::kMult ? sum[k] * rows[k][i]
                                    : alu(op, sum[k], rows[k][i]);
    }
  }
  for (std::size_t k = 0; k < kFolds; ++k) value[k] = one_nan(sum[k]);
}

void fold_rows(AluOp op, const std::array<const float*, kFolds>& rows, std::size_t n, Folds& folds) {
  std::size_t from = 0;
  if (!folds.started) {
    for (std::size_t k = 0; k < kFolds; ++k) folds.value[k] = rows[k][0];
    folds.started = true;
    from = 1;
  }
  switch (op) {
    case AluOp::kAdd:
      return fold_serially<AluOp::kAdd>(rows, from, n, folds.value);
    case AluOp::kSubtract:
      return fold_serially<AluOp::kSubtract>(rows, from, n, folds.value);
    case AluOp::kMult:
      return fold_serially<AluOp::kMult>(rows, from, n, folds.value);
    case AluOp::kDivide:
      return fold_serially<AluOp::kDivide>(rows, from, n, folds.value);
    case AluOp::kMax:
    case AluOp::kMin:
      for (std::size_t k = 0; k < kFolds; ++k) {
        folds.value[k] = extremum_of_row(op, folds.value[k], rows[k] + from, n - from);
      }
      return;
    default:
      return;
  }
}

// The dimensions of `shape` before and after the first reduced one. Index 0 is the partition.
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

// Where up to kFolds folds start, in dst and src.
struct Batch {
  std::array<std::byte*, kFolds> dst{}, src{};
  std::size_t size = 0;
};

void reduce_batch(const Instruction& i, const Walk<1>& reduced, const Batch& batch, Rounding* rounding) {
  std::array<ScratchRow, kFolds> scratch;
  Folds folds;
  // Offsets from a fold's first element, found once for all folds of the batch.
  reduced.for_each_piece(kScratch, [&](const std::array<std::byte*, 1>& at, std::size_t n) {
    const std::ptrdiff_t offset = at[0] - reduced.operand[0].at;
    std::array<const float*, kFolds> rows{};
    for (std::size_t k = 0; k < kFolds; ++k) {
      rows[k] = k < batch.size
                    ? load_dense_row(batch.src[k] + offset, reduced.row_step(0), i.src0.dtype, n, scratch[k])
                    : rows[0];
    }
    fold_rows(i.op0, rows, n, folds);
  });
  for (std::size_t k = 0; k < batch.size; ++k) {
    store_rounded(batch.dst[k], i.dst.dtype, folds.value[k], rounding);
  }
}

struct Repeated {
  alignas(32) std::array<float, kRepeats> value;
};
Row repeat(const std::byte* at, Repeated& copies) {
  copies.value.fill(load_as_fp32(at, DType::kFp32));
  return {copies.value.data(), 0};
}

// activation_reduce for `size` partitions from `first` on, at most kFolds.
void activate_batch(const Instruction& i, const CoreView& core, unsigned first, std::size_t size) {
  Shape one = i.shape;
  one.partitions = 1;
  std::array<ScratchRow, kFolds> scratch, result;
  std::array<Row, kFolds> scale, bias;
  std::array<Repeated, kFolds> scales, biases;
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  const Operand s = scalar_operand(core, i.scalar0), b = scalar_operand(core, i.scalar1);
  const auto partition = [first](const Operand& o, std::size_t k) {
    return o.step[0] * static_cast<std::ptrdiff_t>(first + k);
  };
  for (std::size_t k = 0; k < size; ++k) {
    scale[k] = repeat(s.at + partition(s, k), scales[k]);
    bias[k] = repeat(b.at + partition(b, k), biases[k]);
  }
  auto walk = make_walk<2>(one, {dst, src});
  walk.merge();
  Folds folds;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 2>& at, std::size_t n) {
    std::array<const float*, kFolds> rows{};
    for (std::size_t k = 0; k < kFolds; ++k) {
      rows[k] = result[k < size ? k : 0].value.data();
      if (k >= size) continue;
      const float* x =
          load_dense_row(at[1] + partition(src, k), walk.row_step(1), i.src0.dtype, n, scratch[k]);
      float* out = result[k].value.data();
      multiply_add_row(dense_row(x), scale[k], bias[k], out, n);
      activation_row(i.func, out, out, n);
      store_row(at[0] + partition(dst, k), walk.row_step(0), i.dst.dtype, n, out, core.rounding);
    }
    fold_rows(AluOp::kAdd, rows, n, folds);
  });
  const Operand sum = column_operand(core, i.result);
  for (std::size_t k = 0; k < size; ++k) {
    store_rounded(sum.at + partition(sum, k), i.result.dtype, folds.value[k], core.rounding);
  }
}

}  // namespace

void do_tensor_reduce(const Instruction& i, const CoreView& core) {
  const Split s = split(i, core, std::min<std::size_t>(i.axes, kFreeDims));
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

void do_activation_reduce(const Instruction& i, const CoreView& core) {
  // Stochastic rounding counts elements in the order they are stored: then partitions go one by one.
  const unsigned together = core.rounding == nullptr ? kFolds : 1;
  for (unsigned first = 0; first < i.shape.partitions; first += together) {
    activate_batch(i, core, first, std::min<std::size_t>(together, i.shape.partitions - first));
  }
}

}  // namespace tahoma::isa
