// SPDX-License-Identifier: Apache-2.0
#include "isa/text/lexer.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "isa/core/program.h"

namespace tahoma::isa {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_alphanumeric(char c) { return is_name_character(c) && c != '-' && c != '.' && c != '_'; }
bool belongs_to_float(char c) { return is_name_character(c) || c == '+'; }

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find_first_of("#;")); }

// Formats the text that an error reports in place of the expected one.
std::string quoted(std::string_view rest) {
  if (rest.empty()) return "the end of the line";
  std::size_t length = 1;
  if (is_name_character(rest[0]))
    while (length < rest.size() && is_name_character(rest[length])) ++length;
  return "'" + std::string(rest.substr(0, length)) + "'";
}

}  // namespace

std::size_t ColumnMap::source(std::size_t expanded) const {
  const Part* last = nullptr;
  for (const Part& part : parts_)
    if (part.expanded <= expanded) last = &part;
  if (last == nullptr) return expanded;
  return last->source + (last->literal ? expanded - last->expanded : 0);
}

Cursor::Cursor(std::string_view line, const std::string& file, std::size_t line_number,
               const ColumnMap* columns)
    : line_(without_comment(line)), file_(file), line_number_(line_number), columns_(columns) {}

void Cursor::skip_blanks() {
  while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
  start_ = at_;
}

bool Cursor::at_end() {
  skip_blanks();
  return at_ == line_.size();
}

bool Cursor::accept(std::string_view s) {
  const std::size_t before = start_;
  skip_blanks();
  if (!line_.substr(at_).starts_with(s)) {
    start_ = before;
    return false;
  }
  at_ += s.size();
  return true;
}

void Cursor::expect(std::string_view s, std::string_view what) {
  if (accept(s)) return;
  skip_blanks();
  fail("E-ASM-004", "expected " + std::string(what) + ", got " + quoted(line_.substr(at_)));
}

std::string_view Cursor::take(bool (*belongs)(char)) {
  skip_blanks();
  while (at_ < line_.size() && belongs(line_[at_])) ++at_;
  return line_.substr(start_, at_ - start_);
}

std::string_view Cursor::word() { return take(is_name_character); }

std::string_view Cursor::name(std::string_view what) {
  const std::string_view text = word();
  if (text.empty()) fail("E-ASM-004", "expected " + std::string(what) + ", got " + quoted(line_.substr(at_)));
  return text;
}

std::int64_t Cursor::parse_integer(std::string_view text, std::string_view what) const {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, status] = std::from_chars(digits.begin(), digits.end(), magnitude, hex ? 16 : 10);
  if (digits.empty() || end != digits.end() || status == std::errc::invalid_argument)
    fail("E-ASM-004",
         "expected " + std::string(what) + " as an integer, got " + quoted(line_.substr(start_)));
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (status != std::errc() || magnitude > kMost)
    fail("E-ASM-005", std::string(what) + " " + std::string(text) + " is out of range");
  return negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}

std::int64_t Cursor::integer(std::int64_t low, std::int64_t high, std::string_view what) {
  const std::int64_t value = parse_integer(word(), what);
  if (value < low || value > high)
    fail("E-ASM-005", std::string(what) + " " + std::to_string(value) + " is out of range; expected " +
                          std::to_string(low) + ".." + std::to_string(high));
  return value;
}

std::uint8_t Cursor::numbered(char letter, unsigned count, std::string_view what) {
  const std::string_view text = take(is_alphanumeric);  // s4-=1: the minus does not belong to the number
  if (text.size() < 2 || text[0] != letter)
    fail("E-ASM-004", "expected " + std::string(what) + " as " + letter + "0.." + letter +
                          std::to_string(count - 1) + ", got " + quoted(line_.substr(start_)));
  const std::int64_t number = parse_integer(text.substr(1), what);
  if (number < 0 || number >= count)
    fail("E-ASM-005", std::string(what) + " " + std::string(text) + " is out of range; expected " + letter +
                          "0.." + letter + std::to_string(count - 1));
  return static_cast<std::uint8_t>(number);
}

float Cursor::floating(std::string_view what) {
  std::string_view text = take(belongs_to_float);
  if (text == "nan" && accept("(")) {
    const auto bits = integer<std::uint32_t>("the bits of a NaN");
    const float value = std::bit_cast<float>(bits);
    if (!std::isnan(value))
      fail("E-ASM-005", "these bits are not a NaN; expected an exponent of ones and a fraction");
    expect(")", "')' after the bits of a NaN");
    return value;
  }
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.remove_prefix(2);
  float value = 0;
  const auto [end, status] = std::from_chars(digits.begin(), digits.end(), value,
                                             hex ? std::chars_format::hex : std::chars_format::general);
  if (digits.empty() || digits[0] == '-' || end != digits.end() || status == std::errc::invalid_argument)
    fail("E-ASM-004", "expected " + std::string(what) + " as a number, got " + quoted(line_.substr(start_)));
  if (status != std::errc())
    fail("E-ASM-005",
         std::string(what) + " " + std::string(text) + " is beyond fp32; write inf, or fewer digits");
  return negative ? -value : value;
}

std::string Cursor::place_at(std::size_t column) const {
  const std::size_t source = columns_ == nullptr ? column : columns_->source(column);
  return file_ + ":" + std::to_string(line_number_) + ":" + std::to_string(source + 1);
}

void Cursor::fail(const char* code, const std::string& text) const {
  throw ProgramError(code, place(), text);
}

void Cursor::fail_unknown(const char* code, std::string_view what, std::string_view got,
                          std::span<const std::string_view> legal) const {
  std::string list;
  for (const std::string_view name : legal) list += (list.empty() ? "" : ", ") + std::string(name);
  const std::string expected = legal.empty() ? "; there is none" : "; expected one of " + list;
  fail(code,
       "unknown " + std::string(what) + " '" + std::string(got) + "'" + did_you_mean(got, legal) + expected);
}

}  // namespace tahoma::isa
