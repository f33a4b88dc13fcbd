// SPDX-License-Identifier: Apache-2.0
// Converts operands of the tensor engine from memory to the panels of isa/simd/matmul_loop.h.
#pragma once

#include "isa/semantics/arithmetic/walk.h"
#include "isa/simd/matmul_loop.h"

namespace tahoma::isa {

// Visits one partition of an operand in ascending order, as rows: f(first element, step, its index, length).
template <class F>
void for_each_piece_of_partition(const Shape& shape, const Operand& operand, unsigned partition,
                                 std::size_t limit, F&& f) {
  Shape one = shape;
  one.partitions = 1;
  Operand row = operand;
  row.at += operand.step[0] * static_cast<std::ptrdiff_t>(partition);
  auto walk = make_walk<1>(one, {row});
  walk.merge();
  std::size_t index = 0;
  walk.for_each_piece(limit, [&](const std::array<std::byte*, 1>& at, std::size_t n) {
    f(at[0], walk.row_step(0), index, n);
    index += n;
  });
}

// Selects how an operand's numbers are prepared for the kernel.
enum class Preparation : std::uint8_t {
  kWhole,        // widened only: the other operand is not split
  kMeetsHalves,  // widened: the other operand is split into fp32 halves
  kSplit,        // fp32 split into halves
};

// Packs a moving operand of `shape` whose partitions hold `slices` contraction rows each.
void pack_moving(const Shape& shape, const Operand& operand, unsigned slices, Preparation preparation,
                 Halves& packed);

// Packs a stationary operand from the loaded bits, [k][column]; the result suits any moving operand.
void pack_weights(const std::byte* raw, DType dtype, std::size_t k, std::size_t columns, Halves& packed);

}  // namespace tahoma::isa
