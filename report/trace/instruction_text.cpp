// SPDX-License-Identifier: Apache-2.0
#include "report/trace/instruction_text.h"

#include <algorithm>

#include "isa/core/source_place.h"
#include "isa/table/table.h"
#include "isa/text/assembler.h"
#include "isa/text/instruction_names.h"

namespace tahoma::runtime {

InstructionTexts::InstructionTexts(std::uint64_t cores) : programs_(cores), kept_(kKept) {
  for (const isa::OpRow& row : isa::all_rows())
    nki_names_[static_cast<std::size_t>(row.op)] = isa::nki_names_of(row);
}

std::string_view InstructionTexts::nki_names(const InstructionPosition& at) const {
  return nki_names_[static_cast<std::size_t>(instruction(at).op)];
}

std::string_view InstructionTexts::mnemonic(const InstructionPosition& at) const {
  return isa::row_of(instruction(at).op).mnemonic;
}

std::string InstructionTexts::source(const InstructionPosition& at) const {
  const isa::Program& program = *programs_[at.core];
  return program.lines.empty() ? "" : isa::source_place(program, static_cast<isa::Queue>(at.queue), at.index);
}

std::string InstructionTexts::name(const InstructionPosition& at) const {
  const std::string place = source(at);
  return std::string(mnemonic(at)) + (place.empty() ? "" : " " + place);
}

std::string_view InstructionTexts::text(const InstructionPosition& at) {
  const isa::Program* program = programs_[at.core].get();
  Kept& kept = kept_[(std::size_t{at.index} * isa::kQueueCount + at.queue) % kKept];
  if (kept.program != program || kept.queue != at.queue || kept.index != at.index)
    kept = {program, at.queue, at.index, isa::disassemble_in_full(instruction(at), *program)};
  return kept.text;
}

std::string_view InstructionTexts::region(const InstructionPosition& at) const {
  const isa::Program& program = *programs_[at.core];
  const std::vector<isa::RegionMark>& marks = program.marks[at.queue];
  const auto behind =
      std::upper_bound(marks.begin(), marks.end(), at.index,
                       [](std::uint32_t index, const isa::RegionMark& mark) { return index < mark.first; });
  return behind == marks.begin() ? program.name : program.regions[std::prev(behind)->region];
}

}  // namespace tahoma::runtime
