// SPDX-License-Identifier: Apache-2.0
// The grammar of assembler text as a page, which `tahoma isa --format grammar` prints.
#pragma once

#include <string>

namespace tahoma::isa {

// The directives come from directives.h, the forms of operands and their choices from the table of
// instructions.
std::string grammar_markdown();

}  // namespace tahoma::isa
