// SPDX-License-Identifier: Apache-2.0
#include "isa/reference.h"

#include <algorithm>
#include <vector>

#include "isa/error.h"
#include "isa/table_fields.h"
#include "isa/validate.h"

namespace tahoma::isa {
namespace {

template <class Enum, class Mask>
std::string names_in(Mask mask) {
  std::string text;
  for (std::size_t i = 0; i < kEnumeratorCount<Enum>; ++i)
    if ((mask >> i) & 1) text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<Enum>(i)));
  return text;
}

std::string queues_of(const OpRow& row) {
  constexpr std::uint8_t kAll = (1U << kQueueCount) - 1;
  return row.queues == kAll ? "all" : names_in<Queue>(row.queues);
}

std::string_view availability_of(const OpRow& row) {
  return row.availability == Availability::kSupported ? "supported" : "NeuronCore-v4 only";
}

std::string all_names(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// In the first memory and, where it is taken, in bf16.
std::string example_tile(const Field& field) {
  const bool in_sbuf = (field.spaces & 1) != 0;
  const bool bf16 = ((field.dtypes >> static_cast<unsigned>(DType::kBf16)) & 1) != 0;
  return std::string(in_sbuf ? "sbuf" : "psum") + "[0, 0x400]:" + (bf16 ? "bf16" : "fp32");
}

std::string text_form(const Field& field, ValueType type) {
  std::string name(field.name);
  switch (type) {
    case ValueType::kShape:
      return name + "=128x512";
    case ValueType::kTile:
      return name + "=" + example_tile(field);
    case ValueType::kScalar:
      return name + "=2.5 or " + name + "=sbuf[0, 0x400]";
    case ValueType::kColumn:
      return name + "=sbuf[0, 0x400]:fp32";
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

struct OperandLine {
  std::string form, doc, bits;
};

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

std::string pad(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
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
  const ShapeRule& shape = row.shape;
  if (shape.most_partitions < limits.partitions || shape.partition_multiple > 1)
    lines.push_back("at most " + n(shape.most_partitions) + " partitions, a multiple of " +
                    n(shape.partition_multiple));
  if (shape.least_elements > 1 || shape.most_elements < kMostFreeElements || shape.element_multiple > 1)
    lines.push_back(n(shape.least_elements) + ".." + n(shape.most_elements) +
                    " free elements, a multiple of " + n(shape.element_multiple));
  if (has_rule(row, Rule::kSameDType)) lines.push_back("dst and src have one dtype");
  if (has_rule(row, Rule::kOnePsumSource)) lines.push_back("the two sources are not both in psum");
  if (has(FieldKind::kStationary))
    lines.push_back("at most " + n(limits.array_rows) + " rows and " + n(limits.array_columns) + " columns");
  if (has(FieldKind::kMoving))
    lines.push_back("rows and columns as the loaded weights; at most " + n(limits.moving_columns) +
                    " moving columns");
  if (has(FieldKind::kMatrixDst) || has(FieldKind::kTransposeDst))
    lines.push_back("dst inside one PSUM bank of " + n(limits.psum_bank_bytes) + " bytes a partition");
  if (row.needs_wait) lines.push_back("a wait is needed");
  if (row.needs_update) lines.push_back("an update is needed");
  return lines;
}

std::string markdown_section(const OpRow& row) {
  std::string out = "### " + std::string(row.mnemonic) + "\n\n" + std::string(row.doc) + "\n\n";
  out += "`" + std::string(row.formula) + "`\n\n";
  out += "Queues: " + queues_of(row) + ". Cost class: " + std::string(name_of(row.cost)) +
         ". Availability: " + std::string(availability_of(row)) + ".\n\n";
  const auto operands = operand_lines(row);
  if (!operands.empty()) {
    out += "| operand | meaning | bits |\n|---|---|---|\n";
    for (const OperandLine& line : operands)
      out += "| `" + line.form + "` | " + line.doc + " | " + line.bits + " |\n";
    out += "\n";
  }
  const auto limits = limits_of(row);
  for (const std::string& line : limits) out += "- " + line + "\n";
  return limits.empty() ? out : out + "\n";
}

}  // namespace

std::string reference_list() {
  std::size_t mnemonics = 0, queues = 0;
  for (const OpRow& row : all_rows()) {
    mnemonics = std::max(mnemonics, row.mnemonic.size());
    queues = std::max(queues, queues_of(row).size());
  }
  std::string out;
  for (const OpRow& row : all_rows())
    out += pad(std::string(row.mnemonic), mnemonics + 2) + pad(queues_of(row), queues + 2) +
           std::string(row.formula) + "\n";
  return out;
}

std::string reference_page(const OpRow& row) {
  std::string out = std::string(row.mnemonic) + "\n  " + std::string(row.doc) + "\n\n  " +
                    std::string(row.formula) + "\n\n";
  out += "  queues        " + queues_of(row) + "\n";
  out += "  cost class    " + std::string(name_of(row.cost)) + "\n";
  out += "  availability  " + std::string(availability_of(row)) + "\n";
  out += "  opcode        " + std::to_string(static_cast<unsigned>(row.op)) + ", " +
         std::to_string(word_bits(row)) + " of " + std::to_string(kWordBits) + " bits of the word used\n";
  const auto operands = operand_lines(row);
  std::size_t width = 0;
  for (const OperandLine& line : operands) width = std::max(width, line.form.size());
  out += "\noperands\n";
  for (const OperandLine& line : operands)
    out += "  " + pad(line.form, width) + "  " + line.doc + " [bits " + line.bits + "]\n";
  out += "  " + pad("wait=s3>=16", width) +
         "  start only when a semaphore is at least (>=) or equals (==) a value or register\n";
  out += "  " + pad("update=s4+=1", width) + "  change a semaphore (+=, -=, =) on completion\n";
  const auto limits = limits_of(row);
  if (!limits.empty()) out += "\nlimits (of Trainium2)\n";
  for (const std::string& line : limits) out += "  " + line + "\n";
  return out;
}

std::string reference_page(std::string_view mnemonic) {
  if (const OpRow* row = row_by_mnemonic(mnemonic)) return reference_page(*row);
  std::vector<std::string_view> legal;
  for (const OpRow& row : all_rows()) legal.push_back(row.mnemonic);
  throw ProgramError("E-ISA-001", "",
                     "unknown instruction '" + std::string(mnemonic) + "'" + did_you_mean(mnemonic, legal) +
                         "; `tahoma isa` lists them");
}

std::string reference_markdown() {
  std::string out =
      "# Instruction reference\n\nMade from the table in `isa/table.cpp`.\n\n## Queues\n\n| queue | runs "
      "|\n|---|---|\n";
  for (std::size_t q = 0; q < kQueueCount; ++q) {
    const QueueRow& row = row_of(static_cast<Queue>(q));
    out += "| " + std::string(name_of(row.queue)) + " | " + std::string(row.doc) + " |\n";
  }
  out +=
      "\n## The word\n\n64 bytes, lowest bit of byte 0 first. Bits 0..7 opcode, 8..9 wait kind, 10..11 "
      "update kind, 12 update on read, 13..15 "
      "unused, 16..23 wait semaphore, 24..55 wait value, 56..63 update semaphore, 64..79 update value; then "
      "the operands in "
      "order. Unused bits are zero.\n\n## Instructions\n\n";
  for (const OpRow& row : all_rows()) out += markdown_section(row);
  return out;
}

}  // namespace tahoma::isa
