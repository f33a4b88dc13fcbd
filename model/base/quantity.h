// SPDX-License-Identifier: Apache-2.0
// Quantities as text: "2.9 TB/s", "24 GiB", "165.5 ns", "2.4 GHz", "64 cyc", "590 fJ", "8 W", "ideal". SI
// prefixes are decimal, IEC ones binary; bits are not accepted. Parsing is exact decimal arithmetic with one
// rounding, to nearest, into the base unit (femtoseconds, bytes, hertz, bytes per second, attojoules,
// microwatts). A dimensional quantity without its unit is rejected, and so are a sign, a leading zero
// ("010"), "nan" and "inf".
//
// Every parse_ function throws a UserError without a location; the caller adds it:
//   E-CFG-003 unit missing or of another kind · E-CFG-004 not a number · E-CFG-005 negative or beyond the
//   type · E-CFG-006 neither true nor false · E-CFG-013 leading zero.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"

namespace tahoma::base {

// Removes the `blanks` at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " ") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}
// Returns the parts of a text between separators; a text without any is one part.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

inline constexpr std::string_view kIdeal = "ideal";

Duration parse_duration(std::string_view text);  // "ideal" is zero
Cycles parse_cycles(std::string_view text);      // "ideal" is zero; whole cycles only
Bytes parse_bytes(std::string_view text);
Frequency parse_frequency(std::string_view text);
Bandwidth parse_bandwidth(std::string_view text);  // "ideal" costs no time
Energy parse_energy(std::string_view text);
Power parse_power(std::string_view text);
std::uint64_t parse_count(std::string_view text);  // digits only
double parse_number(std::string_view text);        // may be negative; nearest double
bool parse_switch(std::string_view text);          // "true" or "false"

// Formats the exact text with the fewest digits; among several, the one in the smallest unit. Parsing it
// returns the same value.
std::string to_text(Duration value);
std::string to_text(Cycles value);
std::string to_text(Bytes value);
std::string to_text(Frequency value);
std::string to_text(Bandwidth value);
std::string to_text(Energy value);
std::string to_text(Power value);
std::string to_text(std::uint64_t value);
std::string to_text(double value);
std::string to_text(bool value);

}  // namespace tahoma::base
