// SPDX-License-Identifier: Apache-2.0
#include "isa/text/reference.h"
#include "isa/text/reference_text.h"

namespace tahoma::isa {
namespace {

std::string markdown_section(const OpRow& row) {
  std::string out = "### " + std::string(row.mnemonic) + "\n\n" + std::string(row.doc) + "\n\n";
  out += "`" + std::string(row.formula) + "`\n\n";
  out += "Queues: " + queues_of(row) + ". Cost class: " + std::string(name_of(row.cost)) +
         ". Availability: " + availability_of(row) + ". Implements: " + implemented_functions(row) + ".\n\n";
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

constexpr std::string_view kWord =
    "## The word\n\n64 bytes, lowest bit of byte 0 first. Bits 0..7 opcode, 8..9 wait kind, 10..11 update "
    "kind, 12 update on read, 13..15 unused, 16..23 wait semaphore, 24..55 wait value, 56..63 update "
    "semaphore, 64..79 update value; then the operands in order. Unused bits are zero.\n\nEvery "
    "instruction may carry `wait=s3>=16` (also `==`, or `>=r5` for a register), which delays it, and "
    "`update=s4+=1` (also `-=` and `=`), which changes a semaphore on completion, or with `@read` as soon "
    "as the sources are read.\n\n";

std::string queues_markdown() {
  std::string out = "## Queues\n\n| queue | runs | reaches | ALU operations |\n|---|---|---|---|\n";
  for (std::size_t q = 0; q < kQueueCount; ++q) {
    const QueueRow& row = row_of(static_cast<Queue>(q));
    out += "| " + std::string(name_of(row.queue)) + " | " + std::string(row.doc) + " | " +
           names_in<Space>(row.spaces) + " | " + names_in<AluOp>(row.alu_ops) + " |\n";
  }
  return out + "\n";
}

}  // namespace

std::string reference_markdown() {
  std::string out = "# Instruction reference\n\nGenerated from the table of instructions in `isa`.\n\n";
  out += queues_markdown();
  out += kWord;
  for (const RowGroup& group : row_groups()) {
    out += "## " + std::string(group.title) + "\n\n";
    for (const OpRow* row : group.rows) out += markdown_section(*row);
  }
  return out + choices_markdown();
}

}  // namespace tahoma::isa
