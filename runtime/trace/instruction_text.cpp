// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/instruction_text.h"

#include <algorithm>

#include "isa/table/table.h"
#include "isa/text/assembler.h"

namespace tahoma::runtime {

std::string_view InstructionTexts::mnemonic(const InstructionPlace& at) const {
  return isa::row_of(instruction(at).op).mnemonic;
}

std::string_view InstructionTexts::text(const InstructionPlace& at) {
  const isa::Program* program = programs_[at.core].get();
  Kept& kept = kept_[(std::size_t{at.index} * isa::kQueueCount + at.queue) % kKept];
  if (kept.program != program || kept.queue != at.queue || kept.index != at.index)
    kept = {program, at.queue, at.index, isa::disassemble_in_full(instruction(at), *program)};
  return kept.text;
}

std::string_view InstructionTexts::region(const InstructionPlace& at) const {
  const isa::Program& program = *programs_[at.core];
  const std::vector<isa::RegionMark>& marks = program.marks[at.queue];
  const auto behind =
      std::upper_bound(marks.begin(), marks.end(), at.index,
                       [](std::uint32_t index, const isa::RegionMark& mark) { return index < mark.first; });
  return behind == marks.begin() ? program.name : program.regions[std::prev(behind)->region];
}

}  // namespace tahoma::runtime
