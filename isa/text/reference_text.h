// SPDX-License-Identifier: Apache-2.0
// Parts of the reference that the text of `tahoma isa` and the Markdown share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/table/table.h"

namespace tahoma::isa {

template <class Enum, class Mask>
std::string names_in(Mask mask) {
  std::string text;
  for (std::size_t i = 0; i < kEnumeratorCount<Enum>; ++i)
    if ((mask >> i) & 1) text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<Enum>(i)));
  return text;
}

struct OperandLine {
  std::string form, doc, bits;
};

// Groups of instructions for readers, in the order of display.
struct RowGroup {
  std::string_view title;
  std::vector<const OpRow*> rows;
};
std::vector<RowGroup> row_groups();

std::string queues_of(const OpRow& row);
std::string availability_of(const OpRow& row);
// "nki.isa.nc_matmul", or the sentence that nki.isa has no such function.
std::string implemented_functions(const OpRow& row);
std::vector<OperandLine> operand_lines(const OpRow& row);
// The limits of an instruction from its row and the roles of its operands, with the numbers of Trainium2.
std::vector<std::string> limits_of(const OpRow& row);

// Markdown tables of operand choices: operations, modes, commands, functions and dtypes.
std::string choices_markdown();

}  // namespace tahoma::isa
