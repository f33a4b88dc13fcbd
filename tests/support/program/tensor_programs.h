// SPDX-License-Identifier: Apache-2.0
// Instructions of the tensor engine, one line each.
#pragma once

#include <string>

#include "isa/core/program_error.h"
#include "isa/semantics/semantics.h"

namespace tahoma::test {

inline isa::Instruction load_weights(const isa::Tile& src, const isa::Shape& shape, unsigned column = 0) {
  isa::Instruction i;
  i.op = isa::Opcode::kLoadWeights;
  i.shape = shape;
  i.src0 = src;
  i.column = static_cast<std::uint16_t>(column);
  return i;
}

inline isa::Instruction matmul(const isa::Tile& dst, const isa::Tile& src, const isa::Shape& shape,
                               unsigned columns, bool accumulate) {
  isa::Instruction i;
  i.op = isa::Opcode::kMatmul;
  i.shape = shape;
  i.columns = static_cast<std::uint16_t>(columns);
  i.dst = dst;
  i.src0 = src;
  i.accumulate = accumulate;
  return i;
}

inline isa::Instruction transpose(const isa::Tile& dst, const isa::Tile& identity, const isa::Shape& shape,
                                  unsigned columns) {
  isa::Instruction i = matmul(dst, identity, shape, columns, false);
  i.op = isa::Opcode::kTranspose;
  return i;
}

inline isa::Instruction in_mode(isa::Instruction i, isa::MatmulMode mode) {
  i.mode = mode;
  return i;
}

// The error code, or "none".
inline std::string execution_error(const isa::Instruction& i, const isa::CoreView& core) {
  try {
    isa::execute(i, core);
  } catch (const isa::ProgramError& e) {
    return e.code;
  }
  return "none";
}

}  // namespace tahoma::test
