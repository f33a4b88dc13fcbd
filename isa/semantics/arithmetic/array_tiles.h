// SPDX-License-Identifier: Apache-2.0
// Placement of operands in the systolic array, and which of them a matmul or transpose may use. The
// validator, the semantics and the timing model share these rules.
//
// An operand of K partitions x M columns occupies the rows from its first partition on (modulo the rows of
// the array) and the columns from `column` on. It reserves the smallest tile that contains it: a quarter, a
// half or all of the rows by a quarter, a half or all of the columns (32, 64 and 128 on NeuronCore-v3: AWS
// NKI, nc_matmul tile_size; beyond 128: tile_size()). A load replaces every operand whose tile overlaps it. A
// matmul uses the rows from src's partition on and the columns from dst's partition on, and requires exactly
// one operand there, with the same rows and columns and a compatible mode and dtype.
#pragma once

#include <optional>
#include <string>

#include "isa/core/instruction.h"

namespace tahoma::isa {

struct ArraySize {
  unsigned rows = 128, columns = 128;
};

// A rectangle of the array.
struct ArrayBlock {
  unsigned row = 0, column = 0, rows = 0, columns = 0;
  friend bool operator==(const ArrayBlock&, const ArrayBlock&) = default;
};

// An operand that a load_weights left in the array.
struct Standing {
  ArrayBlock block;
  MatmulMode mode = MatmulMode::kDense;
  DType dtype = DType::kBf16;
};

Standing standing_of(const Instruction& load_weights, const ArraySize& array);
ArrayBlock used_block(const Instruction& matmul_or_transpose, const ArraySize& array);
bool fits(const ArrayBlock& block, const ArraySize& array);
// Returns the smallest tile that contains the block.
ArrayBlock tile_of(const ArrayBlock& block, const ArraySize& array);
bool overlap(const ArrayBlock& a, const ArrayBlock& b);

// Explains why a matmul or transpose cannot use this operand; "" if it can. The text is the first sentence of
// an error message.
std::string unusable(const Instruction& user, const ArrayBlock& used, const Standing& standing);

// Selects how the bits of the weights are converted to the destination of a transpose.
enum class Turn : std::uint8_t {
  kSame,      // equal dtypes: unchanged
  kZeroByte,  // 8 bits into uint16: a high byte of zero
  kWiden,     // any float into fp32: exact
};
// empty if `dst` is not a valid destination for such weights
std::optional<Turn> turn_of(DType weights, DType dst);

std::string text_of(const ArrayBlock& block);  // "rows 0..31, columns 32..63"

}  // namespace tahoma::isa
