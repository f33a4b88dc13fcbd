// SPDX-License-Identifier: Apache-2.0
#include "isa/core/source_place.h"

namespace tahoma::isa {

std::string file_name_of(const std::string& file) { return file.substr(file.find_last_of('/') + 1); }

std::string source_place(const Program& program, Queue queue, std::uint32_t index) {
  const std::uint32_t line = program.line_at(queue, index);
  if (line >= program.lines.size()) return "";
  return file_name_of(program.lines[line].file) + ':' + std::to_string(program.lines[line].line);
}

}  // namespace tahoma::isa
