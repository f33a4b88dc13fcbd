// SPDX-License-Identifier: Apache-2.0
// The one table of instructions. A row holds everything that is particular to an opcode; encoder, decoder,
// validator, assembler, disassembler, `tahoma isa` and the reference page are loops over rows and fields.
// Limits, queues and dtypes are those of NeuronCore-v3 (AWS NKI instruction pages and architecture guide,
// silicon traces where those are silent).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/instruction.h"
#include "isa/table_names.h"

namespace tahoma::isa {

// How long an instruction takes is the model's business; the row names only the class (model/engine maps it
// to a law).
enum class CostClass : std::uint8_t {
  kNone,
  kWeightLoad,
  kMatmul,
  kElementwise,
  kTwoInput,
  kReduce,
  kActivation,
  kActivationReduce,
  kReciprocal,
  kMemset,
  kGpSimdPattern,
  kDoorbell,
  kSemaphore,
  kRegister,
  kBranch,
  kCount
};
std::string_view name_of(CostClass cost);  // "weight_load", "matmul", ...

enum class Availability : std::uint8_t { kSupported, kUnavailable };

// What a field is, and with it: its width in the word, its text form, its rules and the slot of Instruction
// it fills (isa/table_fields.h). Tiles of one slot differ in their rules: the destination of a matmul has
// `columns` partitions and stays inside a PSUM bank, that of a reduction has one element where dimensions are
// reduced, and so on.
enum class FieldKind : std::uint8_t {
  kShape,
  kColumns,
  kDst,
  kReducedDst,
  kMatrixDst,
  kTransposeDst,
  kSrc0,
  kStationary,
  kMoving,
  kSrc1,
  kReduceResult,
  kScalar0,
  kScalar1,
  kOp0,
  kOp1,
  kReduceOp,
  kFunc,
  kCompare,
  kAccumulate,
  kReverse0,
  kReverse1,
  kAxes,
  kPattern,
  kBase,
  kChannelMultiplier,
  kValue,
  kRegD,
  kRegA,
  kRegB,
  kImm,
  kTarget,
  kDescriptor,
  kRing,
  kSrcReg,
  kDstReg,
  kNotify,
  kCount
};

struct Field {
  FieldKind kind;
  std::string_view name;           // as written in assembler text
  bool optional = false;           // text may leave it out: it then has the default of Instruction
  std::uint8_t spaces = 0b011;     // for tiles: bit 0 SBUF, bit 1 PSUM
  std::uint8_t dtypes = 0b111111;  // for tiles: bit per DType
  std::uint8_t choices = 0xff;     // for ALU operations: bit per AluOp
};

struct OpRow {
  Opcode op;
  std::string_view mnemonic;
  std::uint8_t queues;  // bit per Queue that may run it
  std::span<const Field> fields;
  CostClass cost;
  Availability availability;
  std::string_view formula;   // the meaning in one line
  std::string_view doc;       // one sentence
  bool needs_wait = false;    // means nothing without a wait
  bool needs_update = false;  // means nothing without an update
};

// What a queue can reach, whatever the instruction.
struct QueueRow {
  Queue queue;
  std::uint8_t spaces;   // on-chip memories its engine can address: bit 0 SBUF, bit 1 PSUM
  std::uint8_t alu_ops;  // bit per AluOp its engine has
  std::string_view doc;
};

const OpRow& row_of(Opcode op);  // op must be below kOpcodeCount
std::span<const OpRow> all_rows();
const OpRow* row_by_mnemonic(std::string_view mnemonic);  // null if unknown
const QueueRow& row_of(Queue queue);

}  // namespace tahoma::isa
