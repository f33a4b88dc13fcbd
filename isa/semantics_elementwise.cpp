// SPDX-License-Identifier: Apache-2.0
// Instructions that treat each element alone: copies, ALU operations, activation, reciprocal and memset.
#include <algorithm>

#include "isa/activation_kernel.h"
#include "isa/row_access.h"
#include "isa/semantics_ops.h"
#include "isa/walk.h"

namespace tahoma::isa {
namespace {

template <std::size_t operands>
Walk<operands> elementwise_walk(const Instruction& i, const CoreView& core,
                                const std::array<Operand, operands>& list) {
  auto walk = make_walk(i.shape, list);
  walk.merge();
  if (core.rounding == nullptr) walk.prefer_long_rows();  // else the order of the elements is architected
  return walk;
}

// Rows of operand k of a walk, as the engine sees them.
template <std::size_t operands>
Row source(const Walk<operands>& walk, std::size_t k, const std::array<std::byte*, operands>& at,
           std::size_t n, ScratchRow& scratch) {
  return load_row(at[k], walk.row_step(k), walk.operand[k].dtype, n, scratch);
}

// dst is operand 0 of every walk here; compute(out, n) fills a row of results.
template <std::size_t operands, class Compute>
void for_each_result(const Walk<operands>& walk, Rounding* rounding, Compute&& compute) {
  ScratchRow scratch;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, operands>& at, std::size_t n) {
    const DType dtype = walk.operand[0].dtype;
    float* out = result_row(at[0], walk.row_step(0), dtype, scratch);
    compute(at, n, out);
    store_row(at[0], walk.row_step(0), dtype, n, out, rounding);
  });
}

// bypass passes the tensor on, whichever side the scalar stands.
void scalar_op(AluOp op, bool reverse, Row tensor, Row scalar, float* out, std::size_t n) {
  if (reverse && op != AluOp::kBypass) std::swap(tensor, scalar);
  alu_row(op, tensor, scalar, out, n);
}

}  // namespace

void do_tensor_copy(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<2>(i, core, {tile_operand(core, i.dst), tile_operand(core, i.src0)});
  if (i.dst.dtype == i.src0.dtype) {
    const std::size_t size = size_of(i.dst.dtype);
    walk.for_each_row([&](const std::array<std::byte*, 2>& at) {
      copy_row(at[0], walk.row_step(0), at[1], walk.row_step(1), size, walk.row_length());
    });
    return;
  }
  ScratchRow scratch;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 2>& at, std::size_t n) {
    const float* row = load_dense_row(at[1], walk.row_step(1), i.src0.dtype, n, scratch);
    store_row(at[0], walk.row_step(0), i.dst.dtype, n, row, core.rounding);
  });
}

void do_tensor_tensor(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<3>(
      i, core, {tile_operand(core, i.dst), tile_operand(core, i.src0), tile_operand(core, i.src1)});
  ScratchRow a, b;
  for_each_result(walk, core.rounding, [&](const std::array<std::byte*, 3>& at, std::size_t n, float* out) {
    alu_row(i.op0, source(walk, 1, at, n, a), source(walk, 2, at, n, b), out, n);
  });
}

void do_tensor_scalar(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<4>(i, core,
                                        {tile_operand(core, i.dst), tile_operand(core, i.src0),
                                         scalar_operand(core, i.scalar0), scalar_operand(core, i.scalar1)});
  ScratchRow x, s0, s1, first;
  for_each_result(walk, core.rounding, [&](const std::array<std::byte*, 4>& at, std::size_t n, float* out) {
    const Row tensor = source(walk, 1, at, n, x);
    const Row left = source(walk, 2, at, n, s0);
    if (i.op1 == AluOp::kBypass) return scalar_op(i.op0, i.reverse0, tensor, left, out, n);
    // Not straight into `out`: scalar1 may be the column that is being written.
    scalar_op(i.op0, i.reverse0, tensor, left, first.value.data(), n);
    scalar_op(i.op1, i.reverse1, dense_row(first.value.data()), source(walk, 3, at, n, s1), out, n);
  });
}

void do_activation(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<4>(i, core,
                                        {tile_operand(core, i.dst), tile_operand(core, i.src0),
                                         scalar_operand(core, i.scalar0), scalar_operand(core, i.scalar1)});
  ScratchRow x, scale, bias;
  for_each_result(walk, core.rounding, [&](const std::array<std::byte*, 4>& at, std::size_t n, float* out) {
    multiply_add_row(source(walk, 1, at, n, x), source(walk, 2, at, n, scale), source(walk, 3, at, n, bias),
                     out, n);
    activation_row(i.func, out, out, n);
  });
}

void do_reciprocal(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<2>(i, core, {tile_operand(core, i.dst), tile_operand(core, i.src0)});
  ScratchRow x;
  for_each_result(walk, core.rounding, [&](const std::array<std::byte*, 2>& at, std::size_t n, float* out) {
    activation_row(ActFn::kReciprocal, load_dense_row(at[1], walk.row_step(1), i.src0.dtype, n, x), out, n);
  });
}

void do_memset(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<1>(i, core, {tile_operand(core, i.dst)});
  ScratchRow row;
  row.value.fill(i.value);
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 1>& at, std::size_t n) {
    store_row(at[0], walk.row_step(0), i.dst.dtype, n, row.value.data(), core.rounding);
  });
}

}  // namespace tahoma::isa
