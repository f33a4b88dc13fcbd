// SPDX-License-Identifier: Apache-2.0
#include "isa/text/reference_text.h"

#include "isa/table/table_fields.h"
#include "isa/table/table_rows.h"
#include "isa/text/instruction_names.h"

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
                                        "Data movement and rendezvous of cores",
                                        "Every queue: semaphores, registers and control flow",
                                        "NeuronCore-v4 only"};

Group group_of(const OpRow& row) {
  if (row.since == CoreVersion::kV4) return kLaterGroup;
  if (row.cost == CostClass::kDoorbell || row.cost == CostClass::kRendezvous) return kMovementGroup;
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

std::string dtypes_of(DTypes mask) {
  if (mask == kAnyDType) return "any dtype";
  if (mask == kFloats) return "any float";
  return mask == kIntegers ? "any integer" : names_in<DType>(mask);
}

std::string operations_of(AluOps mask) {
  if (mask == kAnyAlu) return "any";
  if (mask == (kArithmetic | kBitwise)) return "any of two operands";
  if (mask == kArithmetic) return "any arithmetic of two operands";
  return mask == (kArithmetic | kUnary | kBypassOp) ? "any arithmetic" : names_in<AluOp>(mask);
}

// Puts the operand in the first memory and, if that is legal, in bf16; otherwise in the first dtype.
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
    case ValueType::kDge:
      return name + "=hw";
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
      return name + (field.kind == FieldKind::kColumn ? "=32" : "=1");
    case ValueType::kInteger:
      return name + "=-3";
    case ValueType::kUpdate:
      return name + "=s9+=1";
  }
  return name;
}

// The limits of the field beyond its type.
std::string legal_values(const Field& field, ValueType type) {
  switch (type) {
    case ValueType::kTile:
    case ValueType::kColumn:
    case ValueType::kWord:
      return names_in<Space>(field.spaces) + "; " + dtypes_of(field.dtypes);
    case ValueType::kMode:
      return all_names(names_of<MatmulMode>());
    case ValueType::kCommand:
      return all_names(names_of<ReduceCommand>());
    case ValueType::kIndirection:
      return all_names(names_of<Indirection>());
    case ValueType::kDge:
      return all_names(names_of<Dge>());
    case ValueType::kAluOp:
      return operations_of(field.choices);
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

std::string availability_of(const OpRow& row) {
  return full_name_of(row.since) + " and later; refused before (E-ISA-002)";
}

std::string implemented_functions(const OpRow& row) {
  const std::string names = nki_names_of(row);
  return names.empty() ? "no function of nki.isa" : names;
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

}  // namespace tahoma::isa
