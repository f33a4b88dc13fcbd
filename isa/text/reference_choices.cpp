// SPDX-License-Identifier: Apache-2.0
// The choices that operands offer, as Markdown tables.
#include <array>
#include <charconv>

#include "isa/table/activation_functions.h"
#include "isa/table/table_fields.h"
#include "isa/table/table_rows.h"
#include "isa/text/reference_text.h"

namespace tahoma::isa {
namespace {

template <class Enum>
using Meanings = std::array<std::string_view, kEnumeratorCount<Enum>>;

constexpr Meanings<AluOp> kAluMeanings = {"a + b",
                                          "a - b",
                                          "a * b",
                                          "a / b",
                                          "the larger; a NaN wins",
                                          "the smaller; a NaN wins",
                                          "a",
                                          "a to the power b",
                                          "1 if a == b, else 0",
                                          "1 if a != b, else 0",
                                          "1 if a >= b, else 0",
                                          "1 if a > b, else 0",
                                          "1 if a <= b, else 0",
                                          "1 if a < b, else 0",
                                          "1 if neither is 0, else 0",
                                          "1 if one is not 0, else 0",
                                          "1 if exactly one is not 0, else 0",
                                          "1 / square root of a",
                                          "1 / a",
                                          "a without its sign",
                                          "bits set in both",
                                          "bits set in one or both",
                                          "bits set in just one",
                                          "a with every bit inverted",
                                          "a shifted up by b bits, filled with zeros",
                                          "a shifted down by b bits, filled with zeros",
                                          "the larger without signs; a NaN wins (NeuronCore-v4)",
                                          "the smaller without signs; a NaN wins (NeuronCore-v4)"};

constexpr Meanings<ReduceCommand> kCommandMeanings = {
    "starts from the neutral element, folds, keeps and writes the result",
    "continues from the values of the accumulators", "starts from the operand `init`",
    "sets the accumulators to the neutral element, folds nothing",
    "does not change the accumulators, folds nothing"};

constexpr Meanings<CompareOp> kCompareMeanings = {"a == b", "a != b", "a < b", "a <= b", "a > b", "a >= b"};

struct DTypeText {
  std::string_view form, largest, smallest, rules;
};

// `smallest` gives the smallest normal and the smallest positive number.
constexpr std::array<DTypeText, kDTypeCount> kDTypes = {{
    {"1, 8, 23 bits, bias 127", "2^128 - 2^104", "2^-126, 2^-149", "what engines compute in"},
    {"1, 8, 7 bits, bias 127", "2^128 - 2^120", "2^-126, 2^-133", ""},
    {"1, 5, 10 bits, bias 15", "65504", "2^-14, 2^-24", ""},
    {"two's complement", "2147483647", "-2147483648",
     "exact in copies and on GpSimd; else through fp32, exact to 2^24"},
    {"binary", "4294967295", "0", "exact in copies and on GpSimd; else through fp32, exact to 2^24"},
    {"binary", "255", "0", ""},
    {"1, 8, 10 bits in 4 bytes, bias 127", "2^128 - 2^117", "2^-126, 2^-136",
     "the low 13 bits are stored as zeros and ignored"},
    {"1, 4, 3 bits, bias 7", "240", "2^-6, 2^-9", "has infinities, unlike the OCP's e4m3fn"},
    {"1, 5, 2 bits, bias 15", "57344", "2^-14, 2^-16", ""},
    {"1, 3, 4 bits, bias 3", "15.5", "2^-2, 2^-6", "at the rate of bf16 in the array"},
    {"two's complement", "127", "-128", ""},
    {"two's complement", "32767", "-32768", ""},
    {"binary", "65535", "0", ""},
    {"1, 4, 3 bits, bias 7", "448", "2^-6, 2^-9", "the OCP's; no infinity; NeuronCore-v4 only"},
}};

constexpr std::string_view kDTypeRules =
    "To a float: to nearest, ties to even, or stochastic; beyond the largest number to infinity; a NaN "
    "stays a quiet NaN. To an integer: rounded the same way, saturated; a NaN becomes 0. Floats are given "
    "as sign, exponent and fraction bits, with the smallest normal and the smallest positive number; "
    "integers with their lowest value.\n\n";

// Escapes bars, which would end a Markdown table cell.
std::string cell(std::string_view text) {
  std::string out = " ";
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out + " |";
}
std::string yes(bool value) { return cell(value ? "yes" : ""); }

AluOps choices_of(Opcode op, FieldKind kind) {
  const Field* field = find_field(row_of(op), kind);
  return field == nullptr ? 0 : field->choices;
}

bool has(AluOps mask, std::size_t op) { return ((mask >> op) & 1) != 0; }

std::string alu_table() {
  const AluOps reductions = choices_of(Opcode::kTensorReduce, FieldKind::kReduceOp),
               across = choices_of(Opcode::kTensorPartitionReduce, FieldKind::kReduceOp),
               registers = choices_of(Opcode::kRegAlu, FieldKind::kOp0);
  std::string out =
      "### ALU operations\n\nArithmetic takes any dtype and works in fp32 (32-bit integers throughout are "
      "exact on GpSimd); bit operations take the bits of integers in memory, with integer constants. The "
      "listed engines have the operation in element-wise instructions; the row of an instruction may "
      "allow fewer.\n\n| operation | meaning | kind | engines | reduces | across partitions | registers "
      "|\n|---|---|---|---|---|---|---|\n";
  for (std::size_t n = 0; n < kEnumeratorCount<AluOp>; ++n) {
    std::string engines;
    for (std::size_t q = 0; q < kQueueCount; ++q)
      if (has(row_of(static_cast<Queue>(q)).alu_ops, n))
        engines += (engines.empty() ? "" : ", ") + std::string(name_of(static_cast<Queue>(q)));
    const bool bit = has(kBitwise | kBitwiseUnary, n);
    const std::string kind = std::string(bit ? "bits" : "arithmetic") +
                             (takes_operand(static_cast<AluOp>(n)) ? "" : ", one operand");
    out += "|" + cell("`" + std::string(name_of(static_cast<AluOp>(n))) + "`") + cell(kAluMeanings[n]) +
           cell(kind) + cell(engines) + yes(has(reductions, n)) + yes(has(across, n)) +
           yes(has(registers, n)) + "\n";
  }
  return out + "\n";
}

std::string mode_table() {
  std::string out =
      "### Modes of the array\n\n| mode | meaning | moving slices a row | dtypes |\n|---|---|---|---|\n";
  for (std::size_t n = 0; n < kEnumeratorCount<MatmulMode>; ++n) {
    const ModeRow& row = row_of(static_cast<MatmulMode>(n));
    out += "|" + cell("`" + std::string(name_of(row.mode)) + "`") + cell(row.doc) +
           cell(std::to_string(row.slices)) + cell(names_in<DType>(row.dtypes)) + "\n";
  }
  return out + "\n";
}

template <class Enum>
std::string meaning_table(const std::string& title, const Meanings<Enum>& meanings) {
  std::string out = "### " + title + "\n\n| name | meaning |\n|---|---|\n";
  for (std::size_t n = 0; n < meanings.size(); ++n)
    out += "|" + cell("`" + std::string(name_of(static_cast<Enum>(n))) + "`") + cell(meanings[n]) + "\n";
  return out + "\n";
}

std::string function_list() {
  std::string out =
      "### Activation functions\n\nSilicon's own errors are not published; these are ours. The set is the "
      "group of function tables that must be loaded.\n\n| function | formula | largest error, ulp | sets "
      "| limits |\n|---|---|---|---|---|\n";
  for (const ActFnRow& row : activation_functions()) {
    std::string sets;
    for (unsigned s = 1; s <= kTableSets; ++s)
      if ((row.table_sets >> s) & 1) sets += (sets.empty() ? "" : ", ") + std::to_string(s);
    std::array<char, 16> ulps{};
    *std::to_chars(ulps.data(), ulps.data() + ulps.size() - 1, row.error.ulps).ptr = '\0';
    out += "|" + cell("`" + std::string(name_of(row.fn)) + "`") + cell(row.formula) + cell(ulps.data()) +
           cell(in_every_table_set(row.fn) ? "every" : sets) + cell(row.doc) + "\n";
  }
  return out + "\n";
}

std::string dtype_table() {
  std::string out = "### Dtypes\n\n" + std::string(kDTypeRules) +
                    "| dtype | bytes | form | largest | smallest | rules |\n|---|---|---|---|---|---|\n";
  for (std::size_t n = 0; n < kDTypeCount; ++n) {
    const auto dtype = static_cast<DType>(n);
    const DTypeText& text = kDTypes[n];
    out += "|" + cell("`" + std::string(name_of(dtype)) + "`") + cell(std::to_string(size_of(dtype))) +
           cell(text.form) + cell(text.largest) + cell(text.smallest) + cell(text.rules) + "\n";
  }
  return out + "\n";
}

}  // namespace

std::string choices_markdown() {
  return "## Choices\n\n" + alu_table() + meaning_table<CompareOp>("Comparisons", kCompareMeanings) +
         mode_table() + meaning_table<ReduceCommand>("Commands to the accumulators", kCommandMeanings) +
         function_list() + dtype_table();
}

}  // namespace tahoma::isa
