// SPDX-License-Identifier: Apache-2.0
#include "isa/reference_text.h"

#include <algorithm>

#include "isa/table_fields.h"
#include "isa/table_rows.h"
#include "isa/validate.h"

namespace tahoma::isa {
namespace {

enum Group : std::size_t {
  kTensorGroup,
  kVectorGroup,
  kScalarGroup,
  kGpSimdGroup,
  kMovementGroup,
  kControlGroup,
  kLaterGroup
};

constexpr std::string_view kTitles[] = {"Tensor engine",
                                        "Vector engine, and others where the list says so",
                                        "Scalar engine",
                                        "GpSimd engine",
                                        "Data movement and meetings of cores",
                                        "Every queue: semaphores, registers and control flow",
                                        "Not on this machine: NeuronCore-v4 only"};

Group group_of(const OpRow& row) {
  if (row.availability != Availability::kSupported) return kLaterGroup;
  if (row.cost == CostClass::kDoorbell || row.cost == CostClass::kMeeting) return kMovementGroup;
  if (row.queues == (1U << kQueueCount) - 1) return kControlGroup;
  std::size_t first = 0;
  while (((row.queues >> first) & 1) == 0) ++first;
  return static_cast<Group>(first);
}

std::string all_names(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// In the first memory and, where it is taken, in bf16; else in the first dtype.
std::string example_operand(const Field& field) {
  const bool in_sbuf = (field.spaces & 1) != 0;
  std::size_t dtype = static_cast<std::size_t>(DType::kBf16);
  if (((field.dtypes >> dtype) & 1) == 0)
    for (dtype = 0; ((field.dtypes >> dtype) & 1) == 0;) ++dtype;
  return std::string(in_sbuf ? "sbuf" : "psum") +
         "[0, 0x400]:" + std::string(name_of(static_cast<DType>(dtype)));
}

std::string text_form(const Field& field, ValueType type) {
  std::string name(field.name);
  switch (type) {
    case ValueType::kShape:
      return name + "=128x512";
    case ValueType::kTile:
      return name + "=" + example_operand(field);
    case ValueType::kScalar:
      return name + "=2.5 or " + name + "=sbuf[0, 0x400]";
    case ValueType::kColumn:
      return name + "=" + example_operand(field);
    case ValueType::kWord:
      return name + "=sbuf[0, 0x400]:int32 or " + name + "=ARGUMENT+0x10:int32";
    case ValueType::kMask:
      return name + "=(1,0,3,2,...,*)";
    case ValueType::kMode:
      return name + "=double_row";
    case ValueType::kCommand:
      return name + "=reduce";
    case ValueType::kIndirection:
      return name + "=gather";
    case ValueType::kFlag:
      return name;
    case ValueType::kPattern:
      return name + "=(0,0,0,-1)";
    case ValueType::kRegister:
      return name + "=r5";
    case ValueType::kArgument:
      return name + "=ARGUMENT";
    case ValueType::kTarget:
      return name + "=LABEL";
    case ValueType::kDescriptor:
      return name + "=3, or shape=128x512 dst=sbuf[0, 0x0]:bf16 src=a+0x100:bf16";
    case ValueType::kFloat:
      return name + "=2.5";
    case ValueType::kAluOp:
      return name + "=add";
    case ValueType::kActFn:
      return name + "=exp";
    case ValueType::kCompareOp:
      return name + "=le";
    case ValueType::kNumber:
      return name + "=1";
    case ValueType::kInteger:
      return name + "=-3";
  }
  return name;
}

// What the field accepts beyond its type.
std::string legal_values(const Field& field, ValueType type) {
  switch (type) {
    case ValueType::kTile:
      return names_in<Space>(field.spaces) + "; " + names_in<DType>(field.dtypes);
    case ValueType::kColumn:
    case ValueType::kWord:
      return names_in<Space>(field.spaces) + "; " + names_in<DType>(field.dtypes);
    case ValueType::kMode:
      return all_names(names_of<MatmulMode>());
    case ValueType::kCommand:
      return all_names(names_of<ReduceCommand>());
    case ValueType::kIndirection:
      return all_names(names_of<Indirection>());
    case ValueType::kAluOp:
      return names_in<AluOp>(field.choices);
    case ValueType::kActFn:
      return all_names(names_of<ActFn>());
    case ValueType::kCompareOp:
      return all_names(names_of<CompareOp>());
    case ValueType::kRegister:
      return "r0..r" + std::to_string(kRegisters - 1);
    default:
      return "";
  }
}

void add_choice_limits(const OpRow& row, std::vector<std::string>& lines) {
  const bool bits = std::any_of(row.fields.begin(), row.fields.end(), [](const Field& field) {
    return traits_of(field.kind).type == ValueType::kAluOp && (field.choices & kBitwise) != 0;
  });
  if (bits && find_field(row, FieldKind::kDst) != nullptr)
    lines.push_back(
        "bit operations on integer dtypes only, with integer constants, and not beside arithmetic");
  const Field* scalar = find_field(row, FieldKind::kScalar0);
  if (scalar != nullptr && scalar->optional && find_field(row, FieldKind::kOp0) != nullptr)
    lines.push_back("a scalar for each operation of two operands, none for one of a single operand");
  if (find_field(row, FieldKind::kTags) != nullptr)
    lines.push_back("tags in sparse modes only; rows a multiple of the weights kept of a group");
  if (find_field(row, FieldKind::kMode) != nullptr)
    lines.push_back(
        "at most three free dimensions; in double_row and sparse modes the outermost has the slices");
}

// Limits of operands together that isa/validate_rows.cpp and isa/validate_transfers.cpp know by the opcode.
void add_own_limits(Opcode op, std::vector<std::string>& lines) {
  struct Own {
    Opcode op;
    std::string_view text;
  };
  static constexpr Own kOwn[] = {
      {Opcode::kTensorCopyDynamic, "at least one register"},
      {Opcode::kTensorScalar, "on the scalar engine mult, add, or mult then add"},
      {Opcode::kTensorScalarReduce, "init with command load_reduce only"},
      {Opcode::kTensorScalarCumulative, "init with command load_reduce only"},
      {Opcode::kNGather, "extent 1..65535"},
      {Opcode::kLocalGather, "at most 4096 indices for each group of 16 partitions; extent per_index..65535"},
      {Opcode::kTopk, "n 8..65535 and at most the elements of 16 partitions; k 1..32767 and at most n"},
      {Opcode::kSendRecv,
       "through GpSimd's own DMA from queue gpsimd only, at most 1024, 512 or 256 bytes a partition for 32-, "
       "16- "
       "or 8-bit types"},
      {Opcode::kDmaCopy,
       "indirect: rows and bound given, one side rows of HBM, the other a tile of SBUF along dimension 0"},
      {Opcode::kDmaCompute, "no source accumulates"},
      {Opcode::kDmaTranspose,
       "one dtype of 2 or 4 bytes, into sbuf; outermost count a multiple of 16, innermost "
       "at most 128 and contiguous in the source"},
  };
  for (const Own& own : kOwn)
    if (own.op == op) lines.emplace_back(own.text);
}

}  // namespace

std::vector<RowGroup> row_groups() {
  std::vector<RowGroup> groups;
  for (const std::string_view title : kTitles) groups.push_back({title, {}});
  for (const OpRow& row : all_rows()) groups[group_of(row)].rows.push_back(&row);
  return groups;
}

std::string queues_of(const OpRow& row) {
  constexpr std::uint8_t kAll = (1U << kQueueCount) - 1;
  return row.queues == kAll ? "all" : names_in<Queue>(row.queues);
}

std::string_view availability_of(const OpRow& row) {
  return row.availability == Availability::kSupported ? "supported"
                                                      : "NeuronCore-v4 only; refused here (E-ISA-002)";
}

std::vector<OperandLine> operand_lines(const OpRow& row) {
  std::vector<OperandLine> lines;
  unsigned at = kHeaderBits;
  for (const Field& field : row.fields) {
    const FieldTraits& traits = traits_of(field.kind);
    std::string doc(traits.doc);
    const std::string legal = legal_values(field, traits.type);
    if (!legal.empty()) doc += " (" + legal + ")";
    if (field.optional) doc += "; optional";
    lines.push_back({text_form(field, traits.type), doc,
                     std::to_string(at) + ".." + std::to_string(at + traits.bits - 1)});
    at += traits.bits;
  }
  return lines;
}

// The limits that hold for an instruction because of the roles of its operands, with the numbers of
// Trainium2.
std::vector<std::string> limits_of(const OpRow& row) {
  const Limits limits;
  const auto has = [&](FieldKind kind) { return find_field(row, kind) != nullptr; };
  const auto n = [](auto number) { return std::to_string(number); };
  std::vector<std::string> lines;
  if (has(FieldKind::kShape)) {
    lines.push_back("at most " + n(limits.partitions) + " partitions and " + n(kMostFreeElements) +
                    " free elements");
    lines.push_back("more than " + n(limits.partitions / 2) + " partitions start at 0, more than " +
                    n(limits.partitions / 4) + " at a multiple of " + n(limits.partitions / 2) +
                    ", others at a multiple of " + n(limits.partitions / 4));
  }
  if (has(FieldKind::kShape))
    lines.push_back("at most " + n(limits.psum_bytes / sizeof(float)) + " free elements in psum; the last " +
                    n(limits.sbuf_reserved) + " bytes of a partition of sbuf are the runtime's");
  const ShapeRule& shape = row.shape;
  if (shape.most_partitions < limits.partitions || shape.partition_multiple > 1)
    lines.push_back("at most " + n(shape.most_partitions) + " partitions, a multiple of " +
                    n(shape.partition_multiple));
  if (shape.least_elements > 1 || shape.most_elements < kMostFreeElements || shape.element_multiple > 1)
    lines.push_back(n(shape.least_elements) + ".." + n(shape.most_elements) +
                    " free elements, a multiple of " + n(shape.element_multiple));
  if (has_rule(row, Rule::kSameDType)) lines.push_back("dst and src have one dtype");
  if (has_rule(row, Rule::kWholeQuadrants))
    lines.push_back("partitions count and start as whole groups of " + n(kQuadrant) + " do");
  if (has_rule(row, Rule::kOnePsumSource)) lines.push_back("the two sources are not both in psum");
  if (has(FieldKind::kStationary))
    lines.push_back("at most " + n(limits.array_rows) + " rows and " + n(limits.array_columns) + " columns");
  if (has(FieldKind::kMoving))
    lines.push_back("rows and columns as the loaded weights; at most " + n(limits.moving_columns) +
                    " moving columns");
  if (has(FieldKind::kMatrixDst) || has(FieldKind::kTransposeDst))
    lines.push_back("dst inside one PSUM bank of " + n(limits.psum_bank_bytes) + " bytes a partition");
  add_choice_limits(row, lines);
  add_own_limits(row.op, lines);
  if (row.needs_wait) lines.push_back("a wait is needed");
  if (row.needs_update) lines.push_back("an update is needed");
  return lines;
}

}  // namespace tahoma::isa
