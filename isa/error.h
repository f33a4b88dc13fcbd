// SPDX-License-Identifier: Apache-2.0
// The error of a wrong program: stable code, place, and what was expected. Exit status 3 at the command line.
#pragma once

#include <stdexcept>
#include <string>

namespace tahoma::isa {

class ProgramError : public std::runtime_error {
 public:
  // what() reads "place: error[code]: message"; the place is file:line:column or queue[index] mnemonic.
  ProgramError(std::string error_code, std::string where, std::string text)
      : std::runtime_error((where.empty() ? "" : where + ": ") + "error[" + error_code + "]: " + text),
        code(std::move(error_code)), place(std::move(where)), message(std::move(text)) {}
  std::string code, place, message;
};

// The name of `candidates` nearest to `name` by edit distance, as " (did you mean 'x'?)", or "" if none is near.
template <class Names>
std::string did_you_mean(const std::string& name, const Names& candidates);

}  // namespace tahoma::isa
