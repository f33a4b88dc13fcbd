// SPDX-License-Identifier: Apache-2.0
#include "runtime/golden/golden_rule.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Format {
  int significand;   // bits, the hidden one included
  int min_exponent;  // of the smallest normal number
  double max;
};

Format format_of(isa::DType dtype) {
  switch (dtype) {
    case isa::DType::kFp32:
      return {24, -126, 0x1.fffffep127};
    case isa::DType::kBf16:
      return {8, -126, 0x1.fep127};
    case isa::DType::kFp16:
      return {11, -14, 0x1.ffcp15};
    case isa::DType::kTf32:
      return {11, -126, 0x1.ffcp127};
    case isa::DType::kFp8E4M3:
      return {4, -6, 240};
    case isa::DType::kFp8E5M2:
      return {3, -14, 57344};
    case isa::DType::kFp8E3M4:
      return {5, -2, 15.5};
    case isa::DType::kFp8E4M3Fn:
      return {4, -6, 448};
    default:
      break;
  }
  TAHOMA_INVARIANT(false, std::string("no rounding rule for ") + std::string(isa::name_of(dtype)));
}

}  // namespace

double smallest_normal(isa::DType dtype) { return std::ldexp(1, format_of(dtype).min_exponent); }

double rounded_size(double value, isa::DType dtype) {
  return value == 0 ? 0 : std::max(std::fabs(value), smallest_normal(dtype));
}

double unit_roundoff(isa::DType dtype) { return std::ldexp(1.0, -format_of(dtype).significand); }

double round_to(double value, isa::DType dtype) {
  if (!std::isfinite(value)) return value;
  const Format f = format_of(dtype);
  constexpr int kBias = 1023, kMantissa = 52;
  const int exponent = static_cast<int>((std::bit_cast<std::uint64_t>(value) >> kMantissa) & 0x7FF) - kBias;
  const int last_place = std::max(exponent, f.min_exponent) - (f.significand - 1);
  // At 1.5 * 2^(last_place + 52) a double's last place equals the last place of the format: adding rounds,
  // subtracting is exact.
  const auto biased = static_cast<std::uint64_t>(last_place) + kMantissa + kBias;
  const double shift = 1.5 * std::bit_cast<double>(biased << kMantissa);
  const double rounded = (value + shift) - shift;
  if (std::fabs(rounded) > f.max) return std::copysign(kInfinity, value);
  return rounded;
}

double accumulation_slack(double roundings, double range) {
  return kGoldenDeviations * 0x1p-24 * std::sqrt(roundings / 3) * range + roundings * 0x1p-149;
}

bool Bounds::accept(double got) const {
  if (may_overflow && !std::isfinite(got)) return true;
  if (std::isnan(low) || std::isnan(high)) return std::isnan(got);
  return got >= low && got <= high;
}

Bounds bounds_of(double want, double slack, isa::DType dtype) {
  if (!std::isfinite(want)) return {want, want, false};
  return {round_to(want - slack, dtype), round_to(want + slack, dtype), false};
}

double error_between(double got, double want) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  if (got == want) return 0;
  const double error = std::fabs(got - want);
  return std::isnan(error) ? kInfinity : error;
}

}  // namespace tahoma::runtime
