// SPDX-License-Identifier: Apache-2.0
// The single table of instructions. A row has everything that is specific to an opcode; encoder, decoder,
// validator, assembler, disassembler, `tahoma isa` and the reference page are loops over rows and fields.
// Limits, queues and dtypes are those of the NeuronCore-v2 to v4 (AWS NKI instruction pages and architecture
// guides, and silicon traces for what these omit); a row names the first core that has its instruction, and
// isa/validate/validate_version.cpp the operands that need a later one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/core/core_version.h"
#include "isa/core/instruction.h"
#include "isa/table/table_names.h"

namespace tahoma::isa {

// The model determines the time of an instruction; the row only names its class (model/engine maps it to a
// law).
enum class CostClass : std::uint8_t {
  kNone,
  kWeightLoad,
  kMatmul,
  kElementwise,
  kDynamicCopy,
  kTwoInput,
  kScalarTensorTensor,
  kScan,
  kReduce,
  kScalarReduce,
  kStreaming,
  kAggregate,
  kActivation,
  kActivationReduce,
  kExponential,
  kQuantise,
  kRandom,
  kReciprocal,
  kMemset,
  kGpSimdPattern,
  kPartitionReduce,
  kLocalGather,
  kIndirectCopy,
  kTopk,
  kDoorbell,
  kRendezvous,
  kSemaphore,
  kRegister,
  kRegisterMemory,
  kBranch,
  kCount
};
std::string_view name_of(CostClass cost);  // "weight_load", "matmul", ...

// The kind of a field. It determines the field's width in the word, its text form, its rules and the slot of
// Instruction that it fills (isa/table/table_fields.h). Tiles of one slot differ in the part of the shape
// that they cover: the destination of a matmul has `columns` partitions and is inside a PSUM bank, that of a
// reduction has one element in reduced dimensions, and so on.
enum class FieldKind : std::uint8_t {
  kShape,
  kColumns,
  kColumn,
  kMode,
  kDst,
  kReducedDst,
  kMatrixDst,
  kTransposeDst,
  kTransposedDst,
  kOneRowDst,
  kBoundsDst,
  kCountedDst,
  kGatheredDst,
  kScatteredDst,
  kRankedDst,
  kRankedIndex,
  kSrc0,
  kStationary,
  kMoving,
  kGatherSource,
  kListedSource,
  kSrc1,
  kTags,
  kScales,
  kScalesDst,
  kResult,
  kRowNumbers,
  kScalar0,
  kScalar1,
  kOp0,
  kOp1,
  kReduceOp,
  kReduceOp1,
  kFunc,
  kCompare,
  kCompare1,
  kCommand,
  kAccumulate,
  kOpen,
  kReverse0,
  kReverse1,
  kNegate,
  kSkip,
  kGpSimdDma,
  kAxes,
  kPattern,
  kMask,
  kBase,
  kChannelMultiplier,
  kValue,
  kExtent,
  kValid,
  kPerIndex,
  kListGroups,
  kRegD,
  kRegA,
  kRegB,
  kImm,
  kTarget,
  kWordSrc,
  kWordDst,
  kDescriptor,
  kSources,
  kFold,
  kIndirect,
  kDge,
  kRing,
  kService,
  kPipe,
  kSrcReg,
  kDstReg,
  kNotify,
  kPeer,
  kReadUpdate,
  kReadPeer,
  kCount
};

using DTypes = std::uint16_t;  // bit per DType
using AluOps = std::uint32_t;  // bit per AluOp

struct Field {
  FieldKind kind;
  std::string_view name;        // as written in assembler text
  bool optional = false;        // text may omit it: it then has the default of Instruction
  std::uint8_t spaces = 0b011;  // for operands in memory: bit 0 SBUF, bit 1 PSUM, bit 2 HBM
  DTypes dtypes = 0x3fff;       // for operands in memory
  AluOps choices = ~0U;         // for ALU operations
  std::uint16_t elements = 0;   // for tiles and columns: elements per partition; 0: the shape's
};

// Limits on the shape of an instruction, beyond those of every instruction.
struct ShapeRule {
  std::uint16_t most_partitions = kMostPartitions, partition_multiple = 1;
  std::uint32_t least_elements = 1, most_elements = 65536, element_multiple = 1;
};

// Rules between the operands of a row.
enum class Rule : std::uint8_t {
  kSameDType = 1,       // dst has the dtype of src
  kOnePsumSource = 2,   // the two sources are not both in PSUM
  kWholeQuadrants = 4,  // partitions start like those of the next multiple of 32
  kRowsOfArray = 8,  // free elements: as many as the array's rows, if these are more than the shape's limit
};
constexpr std::uint8_t operator|(Rule a, Rule b) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

// Functions of AWS's nki.isa that an instruction implements, without the prefix; unused places are empty. One
// function may need several instructions (nc_matmul: load_weights, then matmul), and one instruction may
// implement several functions.
using NkiNames = std::array<std::string_view, 2>;

struct OpRow {
  Opcode op;
  std::string_view mnemonic;
  NkiNames nki;
  std::uint8_t queues;  // bit per Queue that may run it
  std::span<const Field> fields;
  CostClass cost;
  std::string_view formula;              // the meaning in one line
  std::string_view doc;                  // what it does, in a sentence or two
  CoreVersion since = CoreVersion::kV2;  // the first core that has it
  bool needs_wait = false;               // has no effect without a wait
  bool needs_update = false;             // has no effect without an update
  std::uint8_t rules = 0;                // bit per Rule
  ShapeRule shape{};
};
constexpr bool has_rule(const OpRow& row, Rule rule) {
  return (row.rules & static_cast<std::uint8_t>(rule)) != 0;
}

// The capabilities of a queue, for any instruction.
struct QueueRow {
  Queue queue;
  std::uint8_t spaces;  // on-chip memories its engine can address: bit 0 SBUF, bit 1 PSUM
  AluOps alu_ops;       // what its engine can compute
  std::string_view doc;
};

// The MX instructions take quads of MXFP4 as elements of this type.
inline constexpr DType kMxFp4 = DType::kUint16;

// Requirements of a mode on the operands. A row of the array takes `slices` elements of the moving operand at
// a time: dimension kSliceDim of its shape (and that of the stationary operand in double_row). With M:N
// sparsity the stationary operand keeps M = `kept` of every N = kept * slices weights of a column.
struct ModeRow {
  MatmulMode mode;
  std::uint8_t slices;
  std::uint8_t kept;  // 0: not sparse
  DTypes dtypes;
  std::string_view doc;
};
inline constexpr std::size_t kSliceDim = 1;

// The mode in which an instruction uses the array: kMx for the MX instructions, else their field.
MatmulMode mode_of(const Instruction& instruction);
// The type of the numbers that an operand of this instruction brings to the array: its own, or for quads of
// MXFP4 one that holds every number of E2M1.
DType array_dtype(const Instruction& instruction, DType operand);
// Return whether it places weights in the array, and whether it is a matmul, which adds products to PSUM.
bool loads_weights(const Instruction& instruction);
bool multiplies(const Instruction& instruction);
// Elements of the stationary operand that a cell of the array holds.
unsigned weights_per_cell(MatmulMode mode);

const ModeRow& row_of(MatmulMode mode);
const OpRow& row_of(Opcode op);  // op must be below kOpcodeCount
std::span<const OpRow> all_rows();
const OpRow* row_by_mnemonic(std::string_view mnemonic);  // null if unknown
const QueueRow& row_of(Queue queue);

}  // namespace tahoma::isa
