// SPDX-License-Identifier: Apache-2.0
// The rows of the instruction table for programs: `tahoma isa --format json`.
#pragma once

#include <string>
#include <string_view>

namespace tahoma::runtime {

// An array of objects with the keys mnemonic, queues, nki (functions of nki.isa), meaning, doc, cost_class,
// supported, opcode, operands (each with form, doc and bits) and limits (sentences, with the numbers of
// Trainium2). `name` is a mnemonic, or nki.isa.NAME for each instruction that implements the function; "" is
// every instruction. An unknown name is UserError E-ISA-001 with the nearest one.
std::string isa_json(std::string_view name);

}  // namespace tahoma::runtime
