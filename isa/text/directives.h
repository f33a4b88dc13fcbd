// SPDX-License-Identifier: Apache-2.0
// The directives of assembler text. The assembler, its macros and the grammar page use this table.
#pragma once

#include <array>
#include <string_view>

namespace tahoma::isa {

struct DirectiveRow {
  std::string_view name;   // after the dot
  std::string_view form;   // of the line
  std::string_view doc;    // one sentence
  bool of_macros = false;  // carried out before the other lines are read
};

inline constexpr std::array kDirectives{
    DirectiveRow{"program", ".program NAME", "names the program; at most once"},
    DirectiveRow{
        "core", ".core VERSION",
        "states the NeuronCore that the program is for, v2, v3 or v4: its instructions and operands exist "
        "there, "
        "and it runs there and on later cores; without it, those of v3 are legal; at most once, before them"},
    DirectiveRow{"args", ".args NAME...",
                 "names the arguments, addresses in HBM that are bound at launch; at most once"},
    DirectiveRow{"control", ".control NAME...",
                 "names those arguments whose tensors keep their values in timing mode; at most once"},
    DirectiveRow{"flops", ".flops EXPRESSION",
                 "states the useful FLOPs of one execution, from which the MFU follows; at most once"},
    DirectiveRow{"bytes", ".bytes EXPRESSION",
                 "states the bytes that one execution has to move to and from HBM; at most once"},
    DirectiveRow{"regions", ".regions NAME...",
                 "numbers regions in this order; a region's first use does, too"},
    DirectiveRow{"region", ".region NAME",
                 "assigns the following instructions of the queue to a region of reports"},
    DirectiveRow{"descriptor", ".descriptor shape=SHAPE dst=SIDE src=SIDE [accumulate]",
                 "declares a transfer that instructions name by its number"},
    DirectiveRow{"let", ".let NAME = EXPRESSION", "names a number", true},
    DirectiveRow{"tile", ".tile NAME = MEMORY[EXPRESSION, EXPRESSION]", "names a place in SBUF or PSUM",
                 true},
    DirectiveRow{"repeat", ".repeat EXPRESSION[, NAME]",
                 "repeats the lines up to its .endr; NAME counts the iterations from 0", true},
    DirectiveRow{"endr", ".endr", "ends the innermost .repeat", true},
};

constexpr std::array<std::string_view, kDirectives.size()> directive_names() {
  std::array<std::string_view, kDirectives.size()> names{};
  for (std::size_t n = 0; n < names.size(); ++n) names[n] = kDirectives[n].name;
  return names;
}

}  // namespace tahoma::isa
