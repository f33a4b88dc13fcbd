// SPDX-License-Identifier: Apache-2.0
// Text form of programs. `assemble(disassemble(p)) == p` for every valid program.
#pragma once

#include <string>
#include <string_view>

#include "isa/program.h"

namespace tahoma::isa {

// `file` only labels error places (file:line:column).
Program assemble(std::string_view text, const std::string& file);
std::string disassemble(const Program& program);

}  // namespace tahoma::isa
