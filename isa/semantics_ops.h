// SPDX-License-Identifier: Apache-2.0
// The function behind each opcode: isa/semantics.h says what they compute, isa/semantics.cpp lists them.
#pragma once

#include "isa/semantics.h"

namespace tahoma::isa {

using Semantics = void (*)(const Instruction&, const CoreView&);

void do_load_weights(const Instruction& i, const CoreView& core);
void do_matmul(const Instruction& i, const CoreView& core);
void do_transpose(const Instruction& i, const CoreView& core);
void do_tensor_copy(const Instruction& i, const CoreView& core);
void do_tensor_tensor(const Instruction& i, const CoreView& core);
void do_tensor_scalar(const Instruction& i, const CoreView& core);
void do_tensor_reduce(const Instruction& i, const CoreView& core);
void do_activation(const Instruction& i, const CoreView& core);
void do_activation_reduce(const Instruction& i, const CoreView& core);
void do_reciprocal(const Instruction& i, const CoreView& core);
void do_memset(const Instruction& i, const CoreView& core);
void do_iota(const Instruction& i, const CoreView& core);
void do_affine_select(const Instruction& i, const CoreView& core);

}  // namespace tahoma::isa
