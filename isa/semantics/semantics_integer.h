// SPDX-License-Identifier: Apache-2.0
// The forms of tensor_tensor, tensor_scalar and tensor_reduce that operate on integers as stored in memory.
#pragma once

#include "isa/semantics/arithmetic/walk.h"
#include "isa/semantics/semantics.h"

namespace tahoma::isa {

// Returns whether the arithmetic is exact: on GpSimd, when every tile holds 32-bit integers.
bool is_exact(const Instruction& i, const CoreView& core);

void exact_tensor_tensor(const Instruction& i, const CoreView& core);
void bit_tensor_tensor(const Instruction& i, const CoreView& core);
void bit_tensor_scalar(const Instruction& i, const CoreView& core);

// Folds all elements of a walk over one operand, displaced by `from` bytes.
std::uint32_t fold_bits(AluOp op, const Walk<1>& reduced, std::ptrdiff_t from);

}  // namespace tahoma::isa
