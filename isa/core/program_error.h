// SPDX-License-Identifier: Apache-2.0
// The error for an invalid program: a stable code, a location, and what was expected. The command line exits
// with status 3. Codes: E-ASM-nnn text, E-BIN-nnn binary, E-ISA-nnn a limit of the table or the machine;
// listed in isa/README.md.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tahoma::isa {

class ProgramError : public std::runtime_error {
 public:
  // what() reads "place: error[code]: message", and the context in further lines. The place is
  // file:line:column or queue[index] mnemonic; the context shows the line.
  ProgramError(std::string error_code, std::string where, std::string text, std::string lines = {})
      : std::runtime_error((where.empty() ? "" : where + ": ") + "error[" + error_code + "]: " + text +
                           (lines.empty() ? "" : "\n" + lines)),
        code(std::move(error_code)),
        place(std::move(where)),
        message(std::move(text)),
        context(std::move(lines)) {}
  std::string code, place, message, context;
};

// Returns the candidate nearest to `name` by edit distance as " (did you mean 'x'?)", or "" if no candidate
// is within a third of the name's length (at least one edit). The first candidate wins a tie.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace tahoma::isa
