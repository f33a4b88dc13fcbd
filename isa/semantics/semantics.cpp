// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/semantics.h"

#include "isa/semantics/semantics_ops.h"

namespace tahoma::isa {
namespace {

constexpr std::array<Semantics, kOpcodeCount> table() {
  std::array<Semantics, kOpcodeCount> t{};
#define TAHOMA_SEMANTICS(opcode, function) t[static_cast<std::size_t>(Opcode::opcode)] = function
#include "isa/semantics/semantics_list.inc"
#undef TAHOMA_SEMANTICS
  return t;
}

constexpr auto kSemantics = table();

}  // namespace

void execute(const Instruction& instruction, const CoreView& core) {
  const Semantics function = kSemantics[static_cast<std::size_t>(instruction.op)];
  if (function != nullptr) function(instruction, core);
}

}  // namespace tahoma::isa
