// SPDX-License-Identifier: Apache-2.0
// What the table says, for people: the text of `tahoma isa` and the Markdown reference. Nothing here is
// written by hand but headings; a new row appears by itself.
#pragma once

#include <string>
#include <string_view>

#include "isa/table/table.h"

namespace tahoma::isa {

// One line per instruction: mnemonic, queues, meaning.
std::string reference_list();

// Everything about one instruction: queues, operands with text form, memories, dtypes, limits and place in
// the word, formula, cost class, availability. Throws ProgramError E-ISA-001 with the nearest mnemonic if it
// is unknown.
std::string reference_page(std::string_view mnemonic);
std::string reference_page(const OpRow& row);

// The whole instruction set as Markdown: queues, the common header of a word, one section per instruction.
std::string reference_markdown();

}  // namespace tahoma::isa
