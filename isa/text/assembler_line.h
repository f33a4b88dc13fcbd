// SPDX-License-Identifier: Apache-2.0
// The operands of one line of assembler text: those of an instruction, or of a transfer.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "isa/table/table.h"
#include "isa/text/assembler_operands.h"

namespace tahoma::isa {

// One line while its operands are read.
struct Line {
  Cursor& c;
  ArgumentNames args;
  std::string place;  // of the mnemonic or directive
  std::string mnemonic;
  Instruction instruction{};
  Descriptor descriptor{};
  bool in_place = false;  // the line gives the transfer itself, in `descriptor`
  std::set<std::string, std::less<>> seen{};
  std::set<std::string, std::less<>> strided{};  // tiles whose strides the text gives
  std::optional<std::string> label{};            // of a jump, with its place
  std::string label_place{};
};

// From behind the mnemonic, or behind .descriptor, to the end of the line; fills in what the text leaves out.
void read_instruction(Line& line, const OpRow& row);
void read_descriptor(Line& line);

}  // namespace tahoma::isa
