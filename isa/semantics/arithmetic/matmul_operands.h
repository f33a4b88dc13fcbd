// SPDX-License-Identifier: Apache-2.0
// Operands of the tensor engine between memory and the panels of isa/simd/matmul_kernel.h.
#pragma once

#include "isa/semantics/arithmetic/walk.h"
#include "isa/simd/matmul_kernel.h"

namespace tahoma::isa {

// One partition of an operand in ascending order, as rows: f(first element, step, its index, length).
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

// What becomes of the numbers of an operand.
enum class Preparation : std::uint8_t {
  kWhole,        // only widened: they meet whole numbers
  kMeetsHalves,  // widened: they meet halves of fp32
  kSplit,        // fp32 into halves
};

// A moving operand of `shape`, whose partitions hold `slices` rows of the contraction each.
void pack_moving(const Shape& shape, const Operand& operand, unsigned slices, Preparation preparation,
                 Halves& packed);

// A stationary operand from the bits that were loaded, [k][column]; ready for any moving operand.
void pack_weights(const std::byte* raw, DType dtype, std::size_t k, std::size_t columns, Halves& packed);

}  // namespace tahoma::isa
