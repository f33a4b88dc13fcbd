// SPDX-License-Identifier: Apache-2.0
// The operands of one line of assembler text: those of an instruction, or of a transfer.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "isa/table/table.h"
#include "isa/text/assembler_operands.h"

namespace tahoma::isa {

// Parse state of one line.
struct Line {
  Cursor& c;
  ArgumentNames args;
  std::string place;  // of the mnemonic or directive
  std::string mnemonic;
  Instruction instruction{};
  Descriptor descriptor{};
  bool in_place = false;  // the line defines the transfer itself, in `descriptor`
  std::set<std::string, std::less<>> seen{};
  std::set<std::string, std::less<>> strided{};  // tiles whose strides the text specifies
  std::optional<std::string> label{};            // jump target, with its location
  std::string label_place{};
};

// Reads from after the mnemonic or .descriptor to the end of the line and fills in the values that
// the text omits.
void read_instruction(Line& line, const OpRow& row);
void read_descriptor(Line& line);

}  // namespace tahoma::isa
