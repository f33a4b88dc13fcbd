// SPDX-License-Identifier: Apache-2.0
// The names that .let, .tile and .repeat define, and the expressions that use them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tahoma::isa {

// A place on chip by name: "sbuf", the first partition and the byte offset.
struct NamedTile {
  std::string memory;
  std::int64_t partition = 0, offset = 0;
};
using MacroValue = std::variant<std::int64_t, NamedTile>;
std::string text_of(const MacroValue& value);  // as assembler text: "-3", "sbuf[0, 0x400]"

// An error at a position of a text; the expander adds the file and the line.
struct MacroError {
  const char* code;
  std::string text;
  std::size_t at;  // in the text of the line
};

class MacroScopes {
 public:
  MacroScopes() { open(); }
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  // A name is defined once in a scope, and hides equal names of outer scopes. `at`: where it stands.
  void define(const std::string& name, MacroValue value, std::size_t at);
  const MacroValue* find(std::string_view name) const;
  // No tile may have the name of an argument, because both stand in the same places. False if one has it.
  bool reserve(const std::string& argument);
  bool has_tiles() const { return tiles_; }
  std::vector<std::string_view> names() const;

 private:
  std::vector<std::map<std::string, MacroValue, std::less<>>> scopes_;
  std::set<std::string> arguments_;
  bool tiles_ = false;
};

// Reads expressions from a line. Integers, decimal or 0x hexadecimal, and names combine with + - * / % and
// parentheses; / rounds toward zero. Throws MacroError: E-ASM-004 syntax, E-ASM-005 overflow or a division by
// zero, E-ASM-016 an unknown name.
class MacroReader {
 public:
  MacroReader(std::string_view line, std::size_t at, const MacroScopes& scopes)
      : line_(line), at_(at), scopes_(scopes) {}

  std::size_t at() const { return at_; }
  bool at_end();
  bool accept(char c);
  void expect(char c, std::string_view what);
  std::string name(std::string_view what);  // of letters, digits and _
  std::int64_t number();                    // an expression
  // An expression, or a tile's name with + or - and an expression.
  MacroValue value();
  NamedTile tile();  // "sbuf[EXPRESSION, EXPRESSION]"
  [[noreturn]] void fail(const char* code, const std::string& text) const {
    throw MacroError{code, text, token_};
  }

 private:
  void skip_blanks();
  std::string_view take_name();
  std::int64_t product();
  std::int64_t factor();
  std::int64_t literal();
  std::int64_t named();
  const MacroValue& known(std::string_view name) const;
  std::int64_t apply(char op, std::int64_t a, std::int64_t b) const;

  std::string_view line_;
  std::size_t at_, token_ = 0;  // token_: where the token begins that an error is about
  int depth_ = 0;               // of parentheses
  const MacroScopes& scopes_;
};

}  // namespace tahoma::isa
