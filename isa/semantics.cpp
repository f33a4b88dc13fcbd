// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics.h"

#include "isa/semantics_ops.h"

namespace tahoma::isa {
namespace {

constexpr std::array<Semantics, kOpcodeCount> table() {
  std::array<Semantics, kOpcodeCount> t{};
  const auto set = [&t](Opcode op, Semantics function) { t[static_cast<std::size_t>(op)] = function; };
  set(Opcode::kLoadWeights, do_load_weights);
  set(Opcode::kMatmul, do_matmul);
  set(Opcode::kTranspose, do_transpose);
  set(Opcode::kTensorCopy, do_tensor_copy);
  set(Opcode::kTensorTensor, do_tensor_tensor);
  set(Opcode::kTensorScalar, do_tensor_scalar);
  set(Opcode::kTensorReduce, do_tensor_reduce);
  set(Opcode::kActivation, do_activation);
  set(Opcode::kActivationReduce, do_activation_reduce);
  set(Opcode::kReciprocal, do_reciprocal);
  set(Opcode::kMemset, do_memset);
  set(Opcode::kIota, do_iota);
  set(Opcode::kAffineSelect, do_affine_select);
  return t;
}

constexpr auto kSemantics = table();

}  // namespace

void execute(const Instruction& instruction, const CoreView& core) {
  const Semantics function = kSemantics[static_cast<std::size_t>(instruction.op)];
  if (function != nullptr) function(instruction, core);
}

}  // namespace tahoma::isa
