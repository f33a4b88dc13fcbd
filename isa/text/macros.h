// SPDX-License-Identifier: Apache-2.0
// Carries out the macros of assembler text, line by line:
//   .let N = 4 * 128                     {N} and {N / 2} stand for numbers in the following lines
//   .tile x = sbuf[0, 0x400]             x after '=', and {x + 0x200}, stand for its address
//   .repeat 4, i                         repeats the lines up to .endr, with i = 0 .. 3; may be nested
//     dma_copy shape=128x512 dst={x + i * 0x200}:fp32 src=in+{i * 0x40000}:fp32 update=s0+=1
//   .endr
// Every iteration has names of its own, which hide outer ones.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/program_error.h"
#include "isa/text/lexer.h"
#include "isa/text/macro_scopes.h"

namespace tahoma::isa {

// More lines and iterations than any program that a core runs: an error of the text.
inline constexpr std::size_t kMostExpandedLines = std::size_t{1} << 22;

class MacroExpander {
 public:
  // The text and the name of its file must outlive the expander.
  MacroExpander(std::string_view text, const std::string& file);

  // Calls `line` for every line that remains. Throws ProgramError: those of macro_scopes.h, and E-ASM-017. An
  // error that `line` throws gets the text of its line.
  void each(const std::function<void(Cursor)>& line);

  bool reserve(const std::string& argument) { return scopes_.reserve(argument); }

  // The value of the expression that is the rest of the line; for directives that take one.
  std::int64_t number(Cursor& c) const;

  // Adds the source line that the error concerns, and a caret below the column.
  ProgramError shown(const ProgramError& error) const;

 private:
  struct Iteration {
    std::size_t line;  // of its .repeat
    std::string name;
    std::int64_t number, count;
  };

  void run(std::size_t begin, std::size_t end);
  // Returns true if the line is a .let or a .tile.
  bool define(std::string_view text);
  // Repeats, and returns the index of the line after the .endr.
  std::size_t repeat(std::size_t at, std::size_t end, MacroReader& reader);
  std::size_t end_of_repeat(std::size_t at, std::size_t end) const;
  void pass_on(std::string_view text, std::size_t line);
  std::string replaced(std::string_view text, ColumnMap& columns) const;
  void count_step(std::size_t line);
  std::string iterations_text() const;
  [[noreturn]] void fail(std::size_t line, const MacroError& error) const;

  const std::string& file_;
  std::vector<std::string_view> lines_;
  MacroScopes scopes_;
  std::vector<Iteration> iterations_;
  std::size_t steps_ = 0;
  const std::function<void(Cursor)>* receiver_ = nullptr;
};

}  // namespace tahoma::isa
