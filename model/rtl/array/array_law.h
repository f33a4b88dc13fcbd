// SPDX-License-Identifier: Apache-2.0
// The reference model of pe_array.sv at its interface: sums come from isa's matmul kernel, cycles from
// fill_cycles(). Time is counted in moves, the cycles in which the array is not stalled.
#pragma once

#include <deque>

#include "isa/semantics/arithmetic/array_tiles.h"
#include "model/rtl/array/array_gates.h"

namespace tahoma::rtl {

class ArrayLaw {
 public:
  explicit ArrayLaw(const isa::ArraySize& size);

  struct Row {
    std::uint64_t number, cycle, move;  // when it entered
    bool bank;
    unsigned column, columns;  // columns with meaningful sums
    std::vector<std::uint32_t> sums;
  };
  // Returns the row whose sums leave now, or null.
  const Row* leaving() const;
  ArrayOutputs answer(const ArrayInputs& inputs) const;
  void clock(const ArrayInputs& inputs);
  std::uint64_t cycle() const { return cycle_; }

 private:
  struct Bank {  // [row][column], both slices
    std::vector<float> low, high;
    std::vector<std::uint32_t> bits;
  };
  void write(const WeightColumns& w);
  std::vector<std::uint32_t> sums(const MovingRow& row);
  std::vector<std::uint32_t> turned(const MovingRow& row) const;
  // Weights of the rows in use, in the panels of isa/simd/matmul_loop.h; cached while neither changes.
  struct Packed {
    std::vector<std::uint8_t> use;
    bool is_double = false, valid = false;
    std::vector<float> panels;
    std::size_t k = 0;
  };
  const Packed& packed(const MovingRow& row);

  isa::ArraySize size_;
  std::uint64_t fill_, cycle_ = 0, moves_ = 0, rows_ = 0;
  std::deque<Row> inside_;
  std::array<Bank, 2> banks_;
  std::array<Packed, 2> packed_;
};

}  // namespace tahoma::rtl
