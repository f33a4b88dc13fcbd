// SPDX-License-Identifier: Apache-2.0
#include "model/base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "model/base/decimal.h"
#include "model/base/error.h"

namespace tahoma::base {
namespace {

struct UnitName {
  std::string_view name;
  std::uint64_t multiplier;
};

constexpr std::uint64_t kKilo = 1'000, kMega = 1'000'000, kGiga = 1'000'000'000, kTera = 1'000'000'000'000,
                        kPeta = 1'000'000'000'000'000, kExa = 1'000'000'000'000'000'000;
constexpr std::uint64_t kKibi = 1ULL << 10, kMebi = 1ULL << 20, kGibi = 1ULL << 30, kTebi = 1ULL << 40;

constexpr UnitName kDurationUnits[] = {{"fs", 1},     {"ps", kKilo}, {"ns", kMega},
                                       {"us", kGiga}, {"ms", kTera}, {"s", kPeta}};
constexpr UnitName kBytesUnits[] = {{"B", 1},       {"kB", kKilo},  {"MB", kMega},
                                    {"GB", kGiga},  {"TB", kTera},  {"KiB", kKibi},
                                    {"MiB", kMebi}, {"GiB", kGibi}, {"TiB", kTebi}};
constexpr UnitName kFrequencyUnits[] = {{"Hz", 1}, {"kHz", kKilo}, {"MHz", kMega}, {"GHz", kGiga}};
constexpr UnitName kBandwidthUnits[] = {{"B/s", 1},       {"kB/s", kKilo},  {"MB/s", kMega},
                                        {"GB/s", kGiga},  {"TB/s", kTera},  {"KiB/s", kKibi},
                                        {"MiB/s", kMebi}, {"GiB/s", kGibi}, {"TiB/s", kTebi}};
constexpr UnitName kEnergyUnits[] = {{"aJ", 1},     {"fJ", kKilo}, {"pJ", kMega}, {"nJ", kGiga},
                                     {"uJ", kTera}, {"mJ", kPeta}, {"J", kExa}};
constexpr UnitName kPowerUnits[] = {{"uW", 1}, {"mW", kKilo}, {"W", kMega}, {"kW", kGiga}};
constexpr UnitName kCyclesUnits[] = {{"cyc", 1}};
// Decimal units come first, because they represent every rate exactly.
constexpr std::size_t kDecimalBandwidths = 5;

struct Kind {
  std::string_view expected;  // "a bandwidth such as '725 GB/s'"
  std::span<const UnitName> units;
  std::uint64_t limit;
};

constexpr std::uint64_t kSigned = std::numeric_limits<std::int64_t>::max() - 1;  // kNever is not a length
constexpr std::uint64_t kUnsigned = std::numeric_limits<std::uint64_t>::max();
constexpr Kind kDuration{"a time such as '165.5 ns'", kDurationUnits, kSigned};
constexpr Kind kCycles{"a number of cycles such as '64 cyc'", kCyclesUnits, kSigned};
constexpr Kind kBytes{"a size such as '24 GiB'", kBytesUnits, kUnsigned};
constexpr Kind kFrequency{"a frequency such as '2.4 GHz'", kFrequencyUnits, kUnsigned};
constexpr Kind kBandwidth{"a bandwidth such as '725 GB/s'", kBandwidthUnits, kUnsigned};
constexpr Kind kEnergy{"an energy such as '1.75 pJ'", kEnergyUnits, kUnsigned};
constexpr Kind kPower{"a power such as '8 W'", kPowerUnits, kUnsigned};
constexpr Kind kCount{"a whole number such as '64'", {}, kUnsigned};
constexpr Kind kNumber{"a number such as '0.25'", {}, 0};

[[noreturn]] void refuse(const char* code, const Kind& kind, std::string_view text, std::string_view why) {
  throw UserError(code, "", fmt::format("expected {}{}, got '{}'", kind.expected, why, text));
}

std::string legal_units(const Kind& kind) {
  std::string list;
  for (const UnitName& unit : kind.units) list += (list.empty() ? "" : ", ") + std::string(unit.name);
  return " (units: " + list + ")";
}

// Parses the number at the start of `text` and rejects what is invalid for every kind of quantity.
Decimal number_of(const Kind& kind, std::string_view text) {
  const auto decimal = scan_decimal(text);
  if (!decimal) refuse("E-CFG-004", kind, text, "");
  if (decimal->leading_zero)
    refuse("E-CFG-013", kind, text, " without leading zeros, which other parsers read as octal");
  if (decimal->too_long) refuse("E-CFG-004", kind, text, " with at most 20 digits");
  return *decimal;
}

std::uint64_t multiplier_of(const Kind& kind, std::string_view unit, std::string_view text) {
  for (const UnitName& u : kind.units)
    if (u.name == unit) return u.multiplier;
  refuse("E-CFG-003", kind, text, legal_units(kind));
}

std::uint64_t parse(const Kind& kind, std::string_view untrimmed, bool whole = false) {
  const std::string_view text = trimmed(untrimmed);
  const Decimal decimal = number_of(kind, text);
  const std::uint64_t multiplier = multiplier_of(kind, trimmed(text.substr(decimal.length)), text);
  if (decimal.negative) refuse("E-CFG-005", kind, text, ", not a negative one");
  if (whole && !decimal.digits_only) refuse("E-CFG-004", kind, text, ", written with digits only");
  const auto value = scale(decimal, multiplier, kind.limit);
  if (!value) refuse("E-CFG-005", kind, text, fmt::format(" below {} {}", kind.limit, kind.units[0].name));
  return *value;
}

std::string shortest(std::uint64_t value, std::span<const UnitName> units, bool fractions) {
  std::string best;
  std::ptrdiff_t fewest = 0;
  for (const UnitName& unit : units) {
    if (unit.multiplier > 1 && (value < unit.multiplier || (!fractions && value % unit.multiplier != 0)))
      continue;
    const std::string number = decimal_text(value, unit.multiplier);
    const std::ptrdiff_t digits =
        std::count_if(number.begin(), number.end(), [](char c) { return c != '.'; });
    if (!best.empty() && digits >= fewest) continue;
    best = fmt::format("{} {}", number, unit.name);
    fewest = digits;
  }
  return best;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

Duration parse_duration(std::string_view text) {
  if (trimmed(text) == kIdeal) return {0};
  return {static_cast<std::int64_t>(parse(kDuration, text))};
}

Cycles parse_cycles(std::string_view text) {
  if (trimmed(text) == kIdeal) return {0};
  return {static_cast<std::int64_t>(parse(kCycles, text, true))};
}

Bytes parse_bytes(std::string_view text) { return {parse(kBytes, text)}; }

Frequency parse_frequency(std::string_view text) { return {parse(kFrequency, text)}; }

Bandwidth parse_bandwidth(std::string_view text) {
  if (trimmed(text) == kIdeal) return {0, true};
  return {parse(kBandwidth, text), false};
}

Energy parse_energy(std::string_view text) { return {parse(kEnergy, text)}; }

Power parse_power(std::string_view text) { return {parse(kPower, text)}; }

std::uint64_t parse_count(std::string_view untrimmed) {
  const std::string_view text = trimmed(untrimmed);
  const Decimal decimal = number_of(kCount, text);
  if (decimal.length != text.size()) refuse("E-CFG-003", kCount, text, " without a unit");
  if (decimal.negative) refuse("E-CFG-005", kCount, text, ", not a negative one");
  if (!decimal.digits_only) refuse("E-CFG-004", kCount, text, ", written with digits only");
  const auto value = scale(decimal, 1, kCount.limit);
  if (!value) refuse("E-CFG-005", kCount, text, fmt::format(" of at most {}", kCount.limit));
  return *value;
}

double parse_number(std::string_view untrimmed) {
  const std::string_view text = trimmed(untrimmed);
  const auto decimal = scan_decimal(text);
  if (!decimal) refuse("E-CFG-004", kNumber, text, "");
  if (decimal->leading_zero) refuse("E-CFG-013", kNumber, text, " without leading zeros");
  if (decimal->length != text.size()) refuse("E-CFG-003", kNumber, text, " without a unit");
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || !std::isfinite(value))
    refuse("E-CFG-005", kNumber, text, " a double can hold");
  return value;
}

bool parse_switch(std::string_view untrimmed) {
  const std::string_view text = trimmed(untrimmed);
  if (text != "true" && text != "false")
    throw UserError("E-CFG-006", "", fmt::format("expected true or false, got '{}'", text));
  return text == "true";
}

std::string to_text(Duration value) {
  if (value.fs == 0) return "0 ns";
  const auto magnitude =
      value.fs < 0 ? 0 - static_cast<std::uint64_t>(value.fs) : static_cast<std::uint64_t>(value.fs);
  return fmt::format("{}{}", value.fs < 0 ? "-" : "", shortest(magnitude, kDurationUnits, true));
}

std::string to_text(Cycles value) { return fmt::format("{} cyc", value.count); }

// A size uses a binary or decimal unit that divides it; "64.5 KiB" would hide the byte count.
std::string to_text(Bytes value) { return shortest(value.count, kBytesUnits, false); }

std::string to_text(Frequency value) { return shortest(value.hz, kFrequencyUnits, true); }

std::string to_text(Bandwidth value) {
  if (value.ideal) return std::string(kIdeal);
  return shortest(value.bytes_per_second, std::span(kBandwidthUnits).first(kDecimalBandwidths), true);
}

std::string to_text(Energy value) { return shortest(value.aj, kEnergyUnits, true); }

std::string to_text(Power value) { return shortest(value.uw, kPowerUnits, true); }

std::string to_text(std::uint64_t value) { return std::to_string(value); }

std::string to_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string to_text(bool value) { return value ? "true" : "false"; }

}  // namespace tahoma::base
