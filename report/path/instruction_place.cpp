// SPDX-License-Identifier: Apache-2.0
#include "report/path/instruction_place.h"

#include <fmt/format.h>

#include <optional>

#include "isa/core/source_place.h"
#include "isa/table/table.h"
#include "isa/table/table_names.h"
#include "runtime/run/region_names.h"

namespace tahoma::runtime {

std::string InstructionNames::engine() const { return std::string(isa::name_of(queue())); }

std::string InstructionNames::opcode() const { return std::string(isa::row_of(op()).mnemonic); }

std::string InstructionNames::source() const {
  const std::uint32_t line = program.line_at(queue(), at.index);
  if (line != isa::kNoLine)
    return fmt::format("{}:{}", isa::file_name_of(program.lines[line].file), program.lines[line].line);
  const std::optional<std::uint16_t> region = stretch_at(program, at.queue, at.index).region;
  return region ? program.regions[*region] : "";
}

std::string InstructionNames::operation() const {
  if (const auto region = stretch_at(program, at.queue, at.index).region) return program.regions[*region];
  const std::string line = source();
  return line.empty() ? program.name : line;
}

}  // namespace tahoma::runtime
