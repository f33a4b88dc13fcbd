// SPDX-License-Identifier: Apache-2.0
// A reading position in one line of assembler text. Every error carries the location of the offending token.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/program_error.h"

namespace tahoma::isa {

// Maps the columns of a line whose macros are replaced to those of the source; both count from 0.
class ColumnMap {
 public:
  // From `expanded` on, columns follow those of the source from `source` on if `literal`, or all are
  // `source`.
  void add(std::size_t expanded, std::size_t source, bool literal) {
    if (!parts_.empty() && literal && parts_.back().literal &&
        expanded - parts_.back().expanded == source - parts_.back().source)
      return;
    parts_.push_back({expanded, source, literal});
  }
  std::size_t source(std::size_t expanded) const;

 private:
  struct Part {
    std::size_t expanded, source;
    bool literal;
  };
  std::vector<Part> parts_;
};

class Cursor {
 public:
  // `line` excludes its line break. Comments, from # or ; on, are skipped. Without `columns` the line is as
  // in the source.
  Cursor(std::string_view line, const std::string& file, std::size_t line_number,
         const ColumnMap* columns = nullptr);

  bool at_end();                    // true if only blanks remain
  bool accept(std::string_view s);  // consumes `s` if it comes next (blanks before it are skipped)
  void expect(std::string_view s, std::string_view what);  // E-ASM-004 unless `s` comes next
  std::string_view word();                       // longest run of name characters; empty if there is none
  std::string_view name(std::string_view what);  // a word, or E-ASM-004 "expected `what`"

  // Parses a decimal or 0x hexadecimal integer with an optional minus. Throws E-ASM-004 if there is none and
  // E-ASM-005 if it is out of range.
  std::int64_t integer(std::int64_t low, std::int64_t high, std::string_view what);
  template <std::integral T>
  T integer(std::string_view what, T low = std::numeric_limits<T>::min(),
            T high = std::numeric_limits<T>::max()) {
    return static_cast<T>(integer(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), what));
  }
  // Parses a letter and a number, such as r5 or s12.
  std::uint8_t numbered(char letter, unsigned count, std::string_view what);
  float floating(std::string_view what);

  // Returns the start of the token read last; errors found after reading it point there.
  std::string place() const { return place_at(start_); }
  std::string place_at(std::size_t column) const;

  // The whole line without its comment, and the reading position in it: for expressions.
  std::string_view text() const { return line_; }
  std::size_t at() const { return at_; }
  std::size_t line_number() const { return line_number_; }  // from 1
  void skip_to_end() { at_ = line_.size(); }
  [[noreturn]] void fail(const char* code, const std::string& text) const;
  // Throws E-ASM-006 or a similar code for an unknown name, given the legal ones.
  [[noreturn]] void fail_unknown(const char* code, std::string_view what, std::string_view got,
                                 std::span<const std::string_view> legal) const;

 private:
  void skip_blanks();
  std::string_view take(bool (*belongs)(char));
  std::int64_t parse_integer(std::string_view text, std::string_view what) const;

  std::string_view line_;
  const std::string& file_;
  std::size_t line_number_;
  const ColumnMap* columns_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
};

}  // namespace tahoma::isa
