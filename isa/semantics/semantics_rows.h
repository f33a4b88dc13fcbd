// SPDX-License-Identifier: Apache-2.0
// Row-by-row iteration in fp32 for the semantic functions of the element-wise engines.
#pragma once

#include <algorithm>

#include "isa/semantics/arithmetic/row_access.h"
#include "isa/semantics/arithmetic/walk.h"
#include "isa/simd/alu.h"

namespace tahoma::isa {

template <std::size_t operands>
Walk<operands> elementwise_walk(const Instruction& i, const CoreView& core,
                                const std::array<Operand, operands>& list) {
  auto walk = make_walk(i.shape, list);
  walk.merge();
  // with stochastic rounding the element order is architected
  if (core.rounding == nullptr) walk.prefer_long_rows();
  return walk;
}

// Loads a row of operand k of a walk in the engine's fp32.
template <std::size_t operands>
Row source(const Walk<operands>& walk, std::size_t k, const std::array<std::byte*, operands>& at,
           std::size_t n, ScratchRow& scratch) {
  return load_row(at[k], walk.row_step(k), walk.operand[k].dtype, n, scratch);
}

// Operand 0 of the walk is dst. compute(first elements, n, out) fills a row of results.
template <std::size_t operands, class Compute>
void for_each_result(const Walk<operands>& walk, const CoreView& core, Compute&& compute) {
  ScratchRow scratch;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, operands>& at, std::size_t n) {
    const DType dtype = walk.operand[0].dtype;
    float* out = result_row(at[0], walk.row_step(0), dtype, scratch);
    compute(at, n, out);
    store_row(at[0], walk.row_step(0), dtype, n, out, core.rounding);
  });
}

// Computes a op b, or b op a if reversed. Unary operations take a, whichever side b is on.
inline void combine_rows(AluOp op, bool reverse, Row a, Row b, float* out, std::size_t n) {
  if (reverse && !is_unary(op)) std::swap(a, b);
  alu_row(op, a, b, out, n);
}
inline float combine(AluOp op, bool reverse, float a, float b) {
  return reverse && !is_unary(op) ? alu(op, b, a) : alu(op, a, b);
}

// Restricts the operands to partition p.
template <std::size_t operands>
std::array<Operand, operands> in_partition(std::array<Operand, operands> list, std::size_t p) {
  for (Operand& o : list) o.at += o.step[0] * static_cast<std::ptrdiff_t>(p);
  return list;
}

// Visits the free elements of one partition in ascending order.
template <std::size_t operands>
Walk<operands> lane_walk(Shape shape, const std::array<Operand, operands>& list) {
  shape.partitions = 1;
  auto walk = make_walk(shape, list);
  walk.merge();
  return walk;
}

}  // namespace tahoma::isa
