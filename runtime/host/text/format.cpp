// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/text/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tahoma::runtime {

namespace {

struct Prefix {
  double scale;
  const char* letter;
};
constexpr std::array kPrefixes{Prefix{1e18, "E"}, Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},
                               Prefix{1e6, "M"},  Prefix{1e3, "k"},  Prefix{1, ""}};

constexpr std::array kFinePrefixes{Prefix{1, ""}, Prefix{1e-3, "m"}, Prefix{1e-6, "u"}, Prefix{1e-9, "n"},
                                   Prefix{1e-12, "p"}};

std::string four_digits(double value) {
  const double size = std::fabs(value);
  if (size == std::floor(size) && size < 1e4) return fmt::format("{:.0f}", value);
  const int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace

std::string si_text(double value, const std::string& unit) {
  for (const Prefix& prefix : kPrefixes)
    if (std::fabs(value) >= prefix.scale || prefix.scale == 1)
      return four_digits(value / prefix.scale) + " " + prefix.letter + unit;
  return "";
}

std::string fine_text(double value, const std::string& unit) {
  if (value == 0 || std::fabs(value) >= 1) return si_text(value, unit);
  for (const Prefix& prefix : kFinePrefixes)
    if (std::fabs(value) >= prefix.scale)
      return four_digits(value / prefix.scale) + " " + prefix.letter + unit;
  return fmt::format("{:.3g} {}", value, unit);
}

std::string time_text(base::Duration time) {
  const double ns = time.ns();
  if (ns >= 1e9) return four_digits(ns * 1e-9) + " s";
  if (ns >= 1e6) return four_digits(ns * 1e-6) + " ms";
  if (ns >= 1e3) return four_digits(ns * 1e-3) + " us";
  return four_digits(ns) + " ns";
}

std::string time_text_of_ns(double ns) { return time_text({std::llround(ns * 1e6)}); }

std::string shortest(double value) { return fmt::format("{}", value); }

std::string percent_cell(double percent, int width) {
  return percent == 0 ? std::string(static_cast<std::size_t>(width), ' ')
                      : fmt::format("{:{}.1f}", percent, width);
}

}  // namespace tahoma::runtime
