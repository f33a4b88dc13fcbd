// SPDX-License-Identifier: Apache-2.0
#include "isa/text/reference.h"

#include <algorithm>
#include <bit>

#include "isa/core/program_error.h"
#include "isa/table/table_fields.h"
#include "isa/text/instruction_names.h"
#include "isa/text/reference_text.h"

namespace tahoma::isa {
namespace {

std::string pad(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// A short form for lists: "all but tensor" for many queues.
std::string short_queues_of(const OpRow& row) {
  constexpr std::uint8_t kAll = (1U << kQueueCount) - 1;
  const auto others = static_cast<std::uint8_t>(kAll & ~row.queues);
  const bool many = others != 0 && std::popcount(others) <= 2;
  return many ? "all but " + names_in<Queue>(others) : queues_of(row);
}

// The name without the prefix, which the heading of the list has.
std::string bare_nki_names_of(const OpRow& row) {
  std::string text;
  for (const std::string_view name : row.nki)
    if (!name.empty()) text += (text.empty() ? "" : " ") + std::string(name);
  return text.empty() ? "-" : text;
}

}  // namespace

std::string reference_list() {
  std::size_t mnemonics = 0, queues = 0, aliases = 0;
  for (const OpRow& row : all_rows()) {
    mnemonics = std::max(mnemonics, row.mnemonic.size());
    queues = std::max(queues, short_queues_of(row).size());
    aliases = std::max(aliases, bare_nki_names_of(row).size());
  }
  const auto line = [&](std::string_view mnemonic, const std::string& on, std::string_view since,
                        const std::string& nki, std::string_view formula) {
    return "  " + pad(std::string(mnemonic), mnemonics + 2) + pad(on, queues + 2) +
           pad(std::string(since), 6) + pad(nki, aliases + 2) + std::string(formula) + "\n";
  };
  std::string out = line("mnemonic", "queues", "from", "nki.isa", "meaning");
  for (const RowGroup& group : row_groups()) {
    out += "\n" + std::string(group.title) + "\n";
    for (const OpRow* row : group.rows)
      out += line(row->mnemonic, short_queues_of(*row), name_of(row->since), bare_nki_names_of(*row),
                  row->formula);
  }
  return out;
}

std::string reference_page(const OpRow& row) {
  std::string out = std::string(row.mnemonic) + "\n  " + std::string(row.doc) + "\n\n  " +
                    std::string(row.formula) + "\n\n";
  out += "  queues        " + queues_of(row) + "\n";
  out += "  implements    " + implemented_functions(row) + "\n";
  out += "  cost class    " + std::string(name_of(row.cost)) + "\n";
  out += "  availability  " + availability_of(row) + "\n";
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
  out += "  " + pad("update=s4+=1", width) + "  change a semaphore (+=, -=, =) on completion, or @read\n";
  const auto limits = limits_of(row);
  if (!limits.empty()) out += "\nlimits (of Trainium2)\n";
  for (const std::string& line : limits) out += "  " + line + "\n";
  return out;
}

std::string reference_page(std::string_view name) {
  const std::vector<const OpRow*> rows = rows_by_name(name);
  if (rows.empty()) throw ProgramError("E-ISA-001", "", unknown_instruction(name));
  std::string out;
  for (const OpRow* row : rows) out += (out.empty() ? "" : "\n") + reference_page(*row);
  return out;
}

}  // namespace tahoma::isa
