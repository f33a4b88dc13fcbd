// SPDX-License-Identifier: Apache-2.0
// Instructions that process each element independently: copies, ALU operations, activation,
// reciprocal and memset.
#include <cstring>

#include "isa/semantics/semantics_integer.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/semantics/semantics_rows.h"
#include "isa/simd/activation_loop.h"

namespace tahoma::isa {
namespace {

template <std::size_t size>
void copy_chosen(const Walk<3>& walk, bool reverse) {
  ScratchRow scratch;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 3>& at, std::size_t n) {
    const float* chosen = load_dense_row(at[2], walk.row_step(2), walk.operand[2].dtype, n, scratch);
    std::byte *to = at[0], *from = at[1];
    for (std::size_t k = 0; k < n; ++k, to += walk.row_step(0), from += walk.row_step(1)) {
      if ((chosen[k] != 0) != reverse) std::memmove(to, from, size);
    }
  });
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

void do_tensor_copy_predicated(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<3>(
      i, core, {tile_operand(core, i.dst), tile_operand(core, i.src0), tile_operand(core, i.src1)});
  const std::size_t size = size_of(i.dst.dtype);
  if (size == 1) return copy_chosen<1>(walk, i.reverse0);
  if (size == 2) return copy_chosen<2>(walk, i.reverse0);
  copy_chosen<4>(walk, i.reverse0);
}

void do_tensor_tensor(const Instruction& i, const CoreView& core) {
  if (is_bitwise(i.op0)) return bit_tensor_tensor(i, core);
  if (is_exact(i, core)) return exact_tensor_tensor(i, core);
  const auto walk = elementwise_walk<3>(
      i, core, {tile_operand(core, i.dst), tile_operand(core, i.src0), tile_operand(core, i.src1)});
  ScratchRow a, b;
  for_each_result(walk, core, [&](const std::array<std::byte*, 3>& at, std::size_t n, float* out) {
    alu_row(i.op0, source(walk, 1, at, n, a), source(walk, 2, at, n, b), out, n);
  });
}

void do_tensor_scalar(const Instruction& i, const CoreView& core) {
  if (is_bitwise(i.op0) || is_bitwise(i.op1)) return bit_tensor_scalar(i, core);
  const auto walk = elementwise_walk<4>(i, core,
                                        {tile_operand(core, i.dst), tile_operand(core, i.src0),
                                         scalar_operand(core, i.scalar0), scalar_operand(core, i.scalar1)});
  ScratchRow x, s0, s1, first;
  for_each_result(walk, core, [&](const std::array<std::byte*, 4>& at, std::size_t n, float* out) {
    const Row tensor = source(walk, 1, at, n, x);
    const Row left = source(walk, 2, at, n, s0);
    if (i.op1 == AluOp::kBypass) return combine_rows(i.op0, i.reverse0, tensor, left, out, n);
    // The result cannot go directly into `out`, because scalar1 may be the column that is being written.
    combine_rows(i.op0, i.reverse0, tensor, left, first.value.data(), n);
    combine_rows(i.op1, i.reverse1, dense_row(first.value.data()), source(walk, 3, at, n, s1), out, n);
  });
}

void do_scalar_tensor_tensor(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<4>(i, core,
                                        {tile_operand(core, i.dst), tile_operand(core, i.src0),
                                         scalar_operand(core, i.scalar0), tile_operand(core, i.src1)});
  ScratchRow x, s, y, first;
  for_each_result(walk, core, [&](const std::array<std::byte*, 4>& at, std::size_t n, float* out) {
    // The result cannot go directly into `out`, because src1 may be the tile that is being written.
    combine_rows(i.op0, i.reverse0, source(walk, 1, at, n, x), source(walk, 2, at, n, s), first.value.data(),
                 n);
    combine_rows(i.op1, i.reverse1, dense_row(first.value.data()), source(walk, 3, at, n, y), out, n);
  });
}

void do_activation(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<4>(i, core,
                                        {tile_operand(core, i.dst), tile_operand(core, i.src0),
                                         scalar_operand(core, i.scalar0), scalar_operand(core, i.scalar1)});
  ScratchRow x, scale, bias;
  for_each_result(walk, core, [&](const std::array<std::byte*, 4>& at, std::size_t n, float* out) {
    multiply_add_row(source(walk, 1, at, n, x), source(walk, 2, at, n, scale), source(walk, 3, at, n, bias),
                     out, n);
    activation_row(i.func, out, out, n, i.value);
  });
}

void do_reciprocal(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<2>(i, core, {tile_operand(core, i.dst), tile_operand(core, i.src0)});
  ScratchRow x;
  for_each_result(walk, core, [&](const std::array<std::byte*, 2>& at, std::size_t n, float* out) {
    const Row row = dense_row(load_dense_row(at[1], walk.row_step(1), i.src0.dtype, n, x));
    alu_row(AluOp::kReciprocal, row, row, out, n);
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
