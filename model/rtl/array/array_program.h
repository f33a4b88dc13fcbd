// SPDX-License-Identifier: Apache-2.0
// The passes of moving rows over weights that a matmul or transpose requires of the array. They follow
// the text of isa/semantics/semantics.h element by element, independently of isa's kernels, with which
// they are compared.
#pragma once

#include "isa/semantics/semantics.h"
#include "model/rtl/array/array_gates.h"

namespace tahoma::rtl {

// A matrix of elements, [row][column], each with the bits that a row of the array receives.
struct Elements {
  std::size_t rows = 0, columns = 0;
  std::vector<std::uint32_t> bits;
  std::uint32_t& at(std::size_t row, std::size_t column) { return bits[row * columns + column]; }
  std::uint32_t at(std::size_t row, std::size_t column) const { return bits[row * columns + column]; }
  friend bool operator==(const Elements&, const Elements&) = default;
};

struct ArrayPass {
  Elements weights;  // [row of the array's block][column of it]
  Elements moving;   // [row of the block][moving column]
  Format weight_format = Format::kBf16, moving_format = Format::kBf16;
  bool is_double = false, turn = false;
};

// Passes in the order in which their sums are added. Throws E-RTL-003 for sparse weights.
std::vector<ArrayPass> passes_of_matmul(const isa::Instruction& i, const isa::CoreView& core);
// One pass per 16 bits of the weights, the low ones first; the sums are the bits.
std::vector<ArrayPass> passes_of_transpose(const isa::Instruction& i, const isa::CoreView& core);

// Returns the elements of dst, [its partition][moving column], as bits of dst's dtype.
Elements destination(const isa::Instruction& i, const isa::CoreView& core);
// Returns dst after a matmul with these sums, pass by pass, given its contents before.
Elements accumulated(const isa::Instruction& i, const Elements& before, const std::vector<Elements>& sums);
// Returns dst after a transpose.
Elements turned(const isa::Instruction& i, const isa::CoreView& core, const std::vector<Elements>& sums);

}  // namespace tahoma::rtl
