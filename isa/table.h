// SPDX-License-Identifier: Apache-2.0
// The one table of instructions. A row holds everything that is particular to an opcode; encoder, decoder, validator,
// assembler, disassembler, `tahoma isa` and the reference page are loops over rows and fields.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/instruction.h"

namespace tahoma::isa {

// How long an instruction takes is the model's business; the row names only the class (model/engine maps it to a law).
enum class CostClass : std::uint8_t {
  kNone, kWeightLoad, kMatmul, kElementwise, kTwoInput, kReduce, kActivation, kActivationReduce, kReciprocal, kMemset,
  kGpSimdPattern, kDoorbell, kSemaphore, kRegister, kBranch, kCount
};

enum class Availability : std::uint8_t { kSupported, kUnavailable };

// What a field is, and with it: its width in the word, its text form, and the slot of Instruction it fills.
enum class FieldKind : std::uint8_t {
  kShape, kColumns, kDst, kSrc0, kSrc1, kReduceResult, kScalar0, kScalar1, kOp0, kOp1, kReduceOp, kFunc, kCompare,
  kAccumulate, kReverse0, kReverse1, kAxes, kPattern, kBase, kChannelMultiplier, kValue, kRegD, kRegA, kRegB, kImm,
  kTarget, kDescriptor, kRing, kSrcReg, kDstReg, kNotify
};

struct Field {
  FieldKind kind;
  std::string_view name;          // as written in assembler text
  std::uint8_t spaces = 0b011;    // for tiles: bit 0 SBUF, bit 1 PSUM
  std::uint8_t dtypes = 0b111111; // for tiles: bit per DType
};

struct OpRow {
  Opcode op;
  std::string_view mnemonic;
  std::uint8_t queues;            // bit per Queue that may run it
  std::span<const Field> fields;
  CostClass cost;
  Availability availability;
  std::string_view formula;       // the meaning in one line
  std::string_view doc;           // one sentence
};

const OpRow& row_of(Opcode op);
std::span<const OpRow> all_rows();
const OpRow* row_by_mnemonic(std::string_view mnemonic);  // null if unknown

std::string_view name_of(Queue queue);  // "tensor", "vector", "scalar", "gpsimd", "sync", "cc0", "cc1"

}  // namespace tahoma::isa
