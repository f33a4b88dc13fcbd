// SPDX-License-Identifier: Apache-2.0
// The table for people: the text of `tahoma isa` and the Markdown reference. Only headings are written by
// hand; a new row appears automatically.
#pragma once

#include <string>
#include <string_view>

#include "isa/table/table.h"

namespace tahoma::isa {

// Lists one line per instruction below a heading: mnemonic, queues, the first core that has it, functions of
// nki.isa, meaning.
std::string reference_list();

// Everything about one instruction: queues, functions of nki.isa that it implements, operands with text form,
// memories, dtypes, limits and position in the word, formula, cost class, availability. `name` is a mnemonic,
// or nki.isa.NAME for a page of each instruction that implements the function. Throws ProgramError E-ISA-001
// with the nearest name if it is unknown.
std::string reference_page(std::string_view name);
std::string reference_page(const OpRow& row);

// The whole instruction set as Markdown: queues, the common header of a word, one section per instruction.
std::string reference_markdown();

}  // namespace tahoma::isa
