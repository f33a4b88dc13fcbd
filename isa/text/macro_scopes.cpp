// SPDX-License-Identifier: Apache-2.0
#include "isa/text/macro_scopes.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "isa/core/program_error.h"

namespace tahoma::isa {
namespace {

constexpr int kMostDepth = 64;

bool begins_name(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string hex_text(std::int64_t value) {
  std::array<char, 20> text{};
  const std::uint64_t magnitude =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), magnitude, 16).ptr;
  return std::string(value < 0 ? "-0x" : "0x") + std::string(text.data(), end);
}

}  // namespace

std::string text_of(const MacroValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  const auto& tile = std::get<NamedTile>(value);
  return tile.memory + "[" + std::to_string(tile.partition) + ", " + hex_text(tile.offset) + "]";
}

void MacroScopes::define(const std::string& name, MacroValue value, std::size_t at) {
  const bool tile = std::holds_alternative<NamedTile>(value);
  if (tile && arguments_.contains(name))
    throw MacroError{"E-ASM-013", "'" + name + "' is an argument; expected another name for the tile", at};
  tiles_ = tiles_ || tile;
  if (!scopes_.back().emplace(name, std::move(value)).second)
    throw MacroError{"E-ASM-013", "'" + name + "' is defined twice; expected distinct names", at};
}

bool MacroScopes::reserve(const std::string& argument) {
  arguments_.insert(argument);
  const MacroValue* known = find(argument);
  return known == nullptr || !std::holds_alternative<NamedTile>(*known);
}

const MacroValue* MacroScopes::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  return nullptr;
}

std::vector<std::string_view> MacroScopes::names() const {
  std::vector<std::string_view> names;
  for (const auto& scope : scopes_)
    for (const auto& [name, value] : scope) names.push_back(name);
  return names;
}

void MacroReader::skip_blanks() {
  while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r')) ++at_;
  token_ = at_;
}

bool MacroReader::at_end() {
  skip_blanks();
  return at_ == line_.size();
}

bool MacroReader::accept(char c) {
  skip_blanks();
  if (at_ == line_.size() || line_[at_] != c) return false;
  ++at_;
  return true;
}

void MacroReader::expect(char c, std::string_view what) {
  if (accept(c)) return;
  fail("E-ASM-004",
       "expected " + std::string(what) + ", got " +
           (at_ == line_.size() ? "the end of the line" : "'" + std::string(1, line_[at_]) + "'"));
}

std::string_view MacroReader::take_name() {
  skip_blanks();
  if (at_ < line_.size() && begins_name(line_[at_]))
    while (at_ < line_.size() && (begins_name(line_[at_]) || is_digit(line_[at_]))) ++at_;
  return line_.substr(token_, at_ - token_);
}

std::string MacroReader::name(std::string_view what) {
  const std::string_view name = take_name();
  if (name.empty())
    fail("E-ASM-004", "expected " + std::string(what) + ", of letters, digits and _, and no digit first");
  return std::string(name);
}

const MacroValue& MacroReader::known(std::string_view name) const {
  const MacroValue* value = scopes_.find(name);
  if (value != nullptr) return *value;
  fail("E-ASM-016", "unknown name '" + std::string(name) +
                        "'; expected one that .let, .tile or .repeat defines" +
                        did_you_mean(name, scopes_.names()));
}

std::int64_t MacroReader::apply(char op, std::int64_t a, std::int64_t b) const {
  std::int64_t result = 0;
  bool overflow = false;
  if (op == '+') overflow = __builtin_add_overflow(a, b, &result);
  if (op == '-') overflow = __builtin_sub_overflow(a, b, &result);
  if (op == '*') overflow = __builtin_mul_overflow(a, b, &result);
  if (op == '/' || op == '%') {
    if (b == 0) fail("E-ASM-005", "division by zero");
    overflow = a == INT64_MIN && b == -1;
    if (!overflow) result = op == '/' ? a / b : a % b;
  }
  if (overflow) fail("E-ASM-005", "the result does not fit 64 bits");
  return result;
}

std::int64_t MacroReader::literal() {
  const bool hex = line_.substr(at_).starts_with("0x") || line_.substr(at_).starts_with("0X");
  const std::string_view digits = line_.substr(at_ + (hex ? 2 : 0));
  std::int64_t value = 0;
  const auto [end, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (status == std::errc::invalid_argument) fail("E-ASM-004", "expected an integer");
  if (status != std::errc()) fail("E-ASM-005", "the integer does not fit 64 bits");
  at_ = static_cast<std::size_t>(end - line_.data());
  if (at_ < line_.size() && (begins_name(line_[at_]) || line_[at_] == '.'))
    fail("E-ASM-004", "expected an integer, decimal or 0x hexadecimal");
  return value;
}

std::int64_t MacroReader::named() {
  const std::string_view name = take_name();
  if (const auto* number = std::get_if<std::int64_t>(&known(name))) return *number;
  fail("E-ASM-016", "'" + std::string(name) + "' is a tile; expected a number here");
}

std::int64_t MacroReader::factor() {
  skip_blanks();
  if (++depth_ > kMostDepth) fail("E-ASM-005", "the expression is nested too deeply");
  std::int64_t value = 0;
  if (accept('-')) {
    value = apply('-', 0, factor());
  } else if (accept('(')) {
    value = number();
    expect(')', "')'");
  } else if (at_ < line_.size() && begins_name(line_[at_])) {
    value = named();
  } else if (at_ < line_.size() && is_digit(line_[at_])) {
    value = literal();
  } else {
    fail("E-ASM-004", "expected a number, a name or '('");
  }
  --depth_;
  return value;
}

std::int64_t MacroReader::product() {
  std::int64_t value = factor();
  for (;;) {
    const char op = accept('*') ? '*' : accept('/') ? '/' : accept('%') ? '%' : '\0';
    if (op == '\0') return value;
    const std::size_t where = token_;
    const std::int64_t next = factor();
    token_ = where;
    value = apply(op, value, next);
  }
}

std::int64_t MacroReader::number() {
  std::int64_t value = product();
  for (;;) {
    const char op = accept('+') ? '+' : accept('-') ? '-' : '\0';
    if (op == '\0') return value;
    const std::size_t where = token_;
    const std::int64_t next = product();
    token_ = where;
    value = apply(op, value, next);
  }
}

MacroValue MacroReader::value() {
  const std::size_t start = at_;
  if (const auto* tile = std::get_if<NamedTile>(scopes_.find(take_name()))) {
    NamedTile moved = *tile;
    if (accept('+'))
      moved.offset = apply('+', moved.offset, number());
    else if (accept('-'))
      moved.offset = apply('-', moved.offset, number());
    return moved;
  }
  at_ = start;
  return number();
}

NamedTile MacroReader::tile() {
  NamedTile tile;
  tile.memory = name("sbuf or psum");
  if (tile.memory != "sbuf" && tile.memory != "psum") {
    static constexpr std::string_view kMemories[] = {"sbuf", "psum"};
    fail("E-ASM-006", "unknown memory '" + tile.memory + "'" + did_you_mean(tile.memory, kMemories));
  }
  expect('[', "'['");
  tile.partition = number();
  expect(',', "',' and a byte offset");
  tile.offset = number();
  expect(']', "']'");
  return tile;
}

}  // namespace tahoma::isa
