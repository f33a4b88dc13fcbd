// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::runtime {
namespace {

constexpr double kNoise = 1e-9;
constexpr double kMost = 9.2e18;  // of a signed 64-bit number

[[noreturn]] void refuse_number(double number, const char* why) {
  throw base::UserError("E-SWP-031", "", fmt::format("{} {}", number, why));
}

std::int64_t nearest(double number) {
  if (number < 0) refuse_number(number, "is negative");
  if (number > kMost) refuse_number(number, "exceeds the range of the parameter");
  return std::llround(number);
}

std::int64_t as_whole(double number) {
  if (std::abs(number - std::round(number)) > kNoise * std::max(1.0, std::abs(number)))
    refuse_number(number, "is not a whole number: use rint(), floor() or ceil()");
  return nearest(number);
}

std::uint64_t as_count(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::string text(bool, double number) {
  if (number != 0 && number != 1) refuse_number(number, "is not a switch: expected 0 or 1");
  return base::to_text(number == 1);
}
std::string text(std::uint64_t, double number) { return base::to_text(as_count(as_whole(number))); }
std::string text(double, double number) { return base::to_text(number); }
std::string text(base::Cycles, double number) { return base::to_text(base::Cycles{as_whole(number)}); }
std::string text(base::Duration, double number) {
  return base::to_text(base::Duration{nearest(number * 1e15)});
}
std::string text(base::Bytes, double number) { return base::to_text(base::Bytes{as_count(nearest(number))}); }
std::string text(base::Frequency, double number) {
  return base::to_text(base::Frequency{as_count(nearest(number))});
}
std::string text(base::Bandwidth, double number) {
  return base::to_text(base::Bandwidth{as_count(nearest(number)), false});
}
std::string text(base::Energy, double number) {
  return base::to_text(base::Energy{as_count(nearest(number * 1e18))});
}
std::string text(base::Power, double number) {
  return base::to_text(base::Power{as_count(nearest(number * 1e6))});
}
std::string text(const std::string&, double number) { refuse_number(number, "is not a word"); }
std::string text_at(const base::ChoiceRef&, double number) { refuse_number(number, "is not a word"); }
template <class T>
std::string text_at(const T* ref, double number) {
  return text(*ref, number);
}

}  // namespace

std::string text_of_number(const base::ParamRef& kind, double number) {
  return std::visit([&](const auto& ref) { return text_at(ref, number); }, kind);
}

}  // namespace tahoma::runtime
