// SPDX-License-Identifier: Apache-2.0
// Instructions that write every element and fold their results into the accumulators: tensor_scalar_reduce,
// select_reduce, range_select, activation_reduce, activate2 and exponential.
#include <limits>

#include "isa/semantics/arithmetic/accumulators.h"
#include "isa/semantics/arithmetic/fold.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/semantics/semantics_rows.h"
#include "isa/simd/activation_loop.h"

namespace tahoma::isa {
namespace {

// Operand 0 is dst. compute(walk, first elements, n, number of the first element, out) fills a row of one
// partition, which is then stored and folded in fp32.
template <std::size_t operands, class Compute>
void fold_results(const Instruction& i, const CoreView& core, AluOp op, Accumulators& lanes,
                  const std::array<Operand, operands>& list, Compute&& compute) {
  const auto walk = lane_walk(i.shape, list);
  // Stochastic rounding counts elements in the order in which they are stored, so partitions are then
  // processed one at a time.
  const unsigned together = core.rounding == nullptr ? kFolds : 1;
  for (unsigned first = 0; first < i.shape.partitions; first += together) {
    const std::size_t size = std::min<std::size_t>(together, i.shape.partitions - first);
    std::array<ScratchRow, kFolds> result;
    Folds folds{{}, true};
    FoldRows rows{};
    for (std::size_t k = 0; k < kFolds; ++k) {
      rows[k] = result[k < size ? k : 0].value.data();
      if (k < size) folds.value[k] = lanes.start(first + static_cast<unsigned>(k));
    }
    std::size_t done = 0;
    walk.for_each_piece(kScratch, [&](const std::array<std::byte*, operands>& at, std::size_t n) {
      for (std::size_t k = 0; k < size; ++k) {
        std::array<std::byte*, operands> here = at;
        for (std::size_t o = 0; o < operands; ++o) {
          here[o] += list[o].step[0] * static_cast<std::ptrdiff_t>(first + k);
        }
        float* out = result[k].value.data();
        compute(walk, here, n, done, out);
        store_row(here[0], walk.row_step(0), i.dst.dtype, n, out, core.rounding);
      }
      if (lanes.folding()) fold_rows(op, rows, n, folds);
      done += n;
    });
    for (std::size_t k = 0; k < size; ++k) lanes.finish(first + static_cast<unsigned>(k), folds.value[k]);
  }
}

AluOp relation(CompareOp op) {
  constexpr std::array<AluOp, 6> kRelations{AluOp::kIsEqual, AluOp::kIsNotEqual, AluOp::kIsLt,
                                            AluOp::kIsLe,    AluOp::kIsGt,       AluOp::kIsGe};
  return kRelations[static_cast<std::size_t>(op)];
}

// Fills the indices of n elements in fp32. The sum is exact before it rounds.
void index_row(std::int64_t first, std::size_t n, float* out) {
  for (std::size_t k = 0; k < n; ++k) out[k] = static_cast<float>(first + static_cast<std::int64_t>(k));
}

}  // namespace

void do_tensor_scalar_reduce(const Instruction& i, const CoreView& core) {
  Accumulators lanes(i, core, i.op1, &i.scalar1);
  const std::array<Operand, 3> list{tile_operand(core, i.dst), tile_operand(core, i.src0),
                                    scalar_operand(core, i.scalar0)};
  ScratchRow x, s;
  fold_results(i, core, i.op1, lanes, list,
               [&](const Walk<3>& walk, const auto& at, std::size_t n, std::size_t, float* out) {
                 combine_rows(i.op0, i.reverse0, source(walk, 1, at, n, x), source(walk, 2, at, n, s), out,
                              n);
               });
}

void do_select_reduce(const Instruction& i, const CoreView& core) {
  Accumulators lanes(i, core, AluOp::kMax);
  const std::array<Operand, 4> list{tile_operand(core, i.dst), tile_operand(core, i.src0),
                                    tile_operand(core, i.src1), scalar_operand(core, i.scalar0)};
  ScratchRow x, chosen, otherwise;
  fold_results(i, core, AluOp::kMax, lanes, list,
               [&](const Walk<4>& walk, const auto& at, std::size_t n, std::size_t, float* out) {
                 Row a = source(walk, 1, at, n, x), b = source(walk, 3, at, n, otherwise);
                 if (i.reverse0) std::swap(a, b);
                 choose_row(source(walk, 2, at, n, chosen), a, b, out, n);
               });
}

void do_range_select(const Instruction& i, const CoreView& core) {
  Accumulators lanes(i, core, AluOp::kMax);
  const std::array<Operand, 4> list{tile_operand(core, i.dst), tile_operand(core, i.src0),
                                    scalar_operand(core, i.scalar0), scalar_operand(core, i.scalar1)};
  ScratchRow x, bound, index, first, second, outside;
  outside.value.fill(std::numeric_limits<float>::lowest());
  fold_results(i, core, AluOp::kMax, lanes, list,
               [&](const Walk<4>& walk, const auto& at, std::size_t n, std::size_t done, float* out) {
                 index_row(i.base + static_cast<std::int64_t>(done), n, index.value.data());
                 const Row number = dense_row(index.value.data());
                 alu_row(relation(i.compare), number, source(walk, 2, at, n, bound), first.value.data(), n);
                 alu_row(relation(i.compare1), number, source(walk, 3, at, n, bound), second.value.data(), n);
                 const Row inside = dense_row(first.value.data());
                 alu_row(AluOp::kLogicalAnd, inside, dense_row(second.value.data()), first.value.data(), n);
                 choose_row(inside, source(walk, 1, at, n, x), dense_row(outside.value.data()), out, n);
               });
}

void do_activation_reduce(const Instruction& i, const CoreView& core) {
  Accumulators lanes(i, core, AluOp::kAdd);
  const std::array<Operand, 4> list{tile_operand(core, i.dst), tile_operand(core, i.src0),
                                    scalar_operand(core, i.scalar0), scalar_operand(core, i.scalar1)};
  ScratchRow x, scale, bias;
  fold_results(i, core, AluOp::kAdd, lanes, list,
               [&](const Walk<4>& walk, const auto& at, std::size_t n, std::size_t, float* out) {
                 multiply_add_row(source(walk, 1, at, n, x), source(walk, 2, at, n, scale),
                                  source(walk, 3, at, n, bias), out, n);
                 activation_row(i.func, out, out, n, i.value);
               });
}

void do_activate2(const Instruction& i, const CoreView& core) {
  Accumulators lanes(i, core, i.fold);
  const std::array<Operand, 4> list{tile_operand(core, i.dst), tile_operand(core, i.src0),
                                    scalar_operand(core, i.scalar0), scalar_operand(core, i.scalar1)};
  ScratchRow x, first, second;
  fold_results(i, core, i.fold, lanes, list,
               [&](const Walk<4>& walk, const auto& at, std::size_t n, std::size_t, float* out) {
                 alu_row(i.op0, source(walk, 1, at, n, x), source(walk, 2, at, n, first), out, n);
                 alu_row(i.op1, dense_row(out), source(walk, 3, at, n, second), out, n);
                 activation_row(i.func, out, out, n, i.value);
               });
}

void do_exponential(const Instruction& i, const CoreView& core) {
  Accumulators lanes(i, core, AluOp::kAdd, &i.scalar1);
  const std::array<Operand, 3> list{tile_operand(core, i.dst), tile_operand(core, i.src0),
                                    scalar_operand(core, i.scalar0)};
  ScratchRow x, maximum;
  fold_results(i, core, AluOp::kAdd, lanes, list,
               [&](const Walk<3>& walk, const auto& at, std::size_t n, std::size_t, float* out) {
                 alu_row(AluOp::kSubtract, source(walk, 1, at, n, x), source(walk, 2, at, n, maximum), out,
                         n);
                 activation_row(ActFn::kExp, out, out, n);
               });
}

}  // namespace tahoma::isa
