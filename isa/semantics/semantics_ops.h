// SPDX-License-Identifier: Apache-2.0
// The functions that implement the opcodes; isa/semantics/semantics.h defines what they compute.
#pragma once

#include "isa/semantics/semantics.h"

namespace tahoma::isa {

using Semantics = void (*)(const Instruction&, const CoreView&);

// Returns the array operand that a matmul or transpose uses; throws E-ISA-401 if it is not loaded.
LoadedWeights& weights_for(const Instruction& i, const CoreView& core, const char* mnemonic);

#define TAHOMA_SEMANTICS(opcode, function) void function(const Instruction& i, const CoreView& core)
#include "isa/semantics/semantics_list.inc"
#undef TAHOMA_SEMANTICS

}  // namespace tahoma::isa
