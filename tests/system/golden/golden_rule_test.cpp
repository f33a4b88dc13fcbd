// SPDX-License-Identifier: Apache-2.0
// Intervals, errors and verdicts of the golden check.
#include "runtime/golden/golden_rule.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "isa/core/dtype.h"
#include "isa/core/small_float.h"
#include "model/base/error.h"
#include "runtime/golden/golden_verdict.h"

namespace {

using namespace tahoma;
using namespace tahoma::runtime;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string refusal(const GoldenResult& result, bool must_be_checked) {
  try {
    require_golden(result, must_be_checked);
  } catch (const base::UserError& e) {
    CHECK(e.status == base::ExitStatus::kCheckFailed);
    return e.code;
  }
  return "";
}

// The finite numbers of a type that are not negative, ascending, by their codes.
std::vector<double> numbers_of(isa::DType dtype) {
  const std::size_t size = isa::size_of(dtype);
  std::vector<double> numbers;
  for (std::uint32_t code = 0; code < (1U << (8 * size - 1)); ++code) {
    std::byte bytes[4];
    std::memcpy(bytes, &code, sizeof code);
    const double value = static_cast<double>(isa::load_as_fp32(bytes, dtype));
    if (std::isfinite(value)) numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

TEST_CASE("golden rule: rounding takes the nearest number of the type, and the even one of two", "[golden]") {
  for (const isa::DType dtype : {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp8E4M3,
                                 isa::DType::kFp8E5M2, isa::DType::kFp8E3M4, isa::DType::kFp8E4M3Fn}) {
    INFO(isa::name_of(dtype));
    const std::vector<double> numbers = numbers_of(dtype);
    REQUIRE(std::is_sorted(numbers.begin(), numbers.end()));
    std::size_t wrong = 0;
    for (std::size_t code = 0; code + 1 < numbers.size(); ++code) {
      const double low = numbers[code], high = numbers[code + 1], middle = (low + high) / 2,
                   even = code % 2 == 0 ? low : high;
      const auto rounds = [&](double value, double to) {
        wrong += round_to(value, dtype) != to || round_to(-value, dtype) != -to ? 1 : 0;
      };
      rounds(low, low);
      rounds(middle, even);
      rounds(std::nextafter(middle, low), low);
      rounds(std::nextafter(middle, high), high);
    }
    CHECK(wrong == 0);
    const double most = numbers.back(), step = most - numbers[numbers.size() - 2];
    CHECK(round_to(most, dtype) == most);
    CHECK(round_to(-most - step, dtype) == -kInf);
    const auto one = std::find(numbers.begin(), numbers.end(), 1.0);
    REQUIRE(one != numbers.end());
    CHECK(unit_roundoff(dtype) == (*(one + 1) - 1) / 2);
    // Up to twice the smallest normal number, the distances are that of the smallest number.
    CHECK(smallest_normal(dtype) == numbers[1] / (2 * unit_roundoff(dtype)));
  }
}

TEST_CASE("golden rule: an interval accepts what lies in it, a NaN only where one is expected", "[golden]") {
  const Bounds finite{-1, 2, false}, nan{kNaN, kNaN, false}, infinite{kInf, kInf, false}, wide{-1, 2, true};
  for (const double inside : {-1.0, 0.0, 2.0}) CHECK((finite.accept(inside) && wide.accept(inside)));
  for (const double outside : {-1.01, 2.01}) CHECK_FALSE((finite.accept(outside) || wide.accept(outside)));
  for (const double strange : {kInf, -kInf, kNaN}) {
    CHECK_FALSE(finite.accept(strange));
    CHECK(wide.accept(strange));
    CHECK(nan.accept(strange) == std::isnan(strange));
    CHECK(infinite.accept(strange) == (strange == kInf));
  }
  CHECK_FALSE(nan.accept(0));
  for (const Bounds& one : {Bounds{kNaN, 2, false}, Bounds{-1, kNaN, false}}) CHECK_FALSE(one.accept(0));
}

TEST_CASE("golden rule: errors are distances, none between equal infinities or NaNs, infinite otherwise",
          "[golden]") {
  for (const double a : {-kInf, -2.0, 0.0, 3.0, kInf, kNaN})
    for (const double b : {-kInf, -2.0, 0.0, 3.0, kInf, kNaN}) {
      INFO(a << " and " << b);
      const bool same = a == b || (std::isnan(a) && std::isnan(b));
      const double want = same ? 0 : std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) : kInf;
      CHECK(error_between(a, b) == want);
    }
}

TEST_CASE("golden rule: the slack of sums grows with the root of the roundings and with the range",
          "[golden]") {
  const double one = accumulation_slack(1, 1);
  CHECK(one == Approx(kGoldenDeviations * std::numeric_limits<float>::epsilon() / 2 / std::sqrt(3)));
  CHECK(accumulation_slack(100, 1) == Approx(10 * one));
  CHECK(accumulation_slack(1, 8) == Approx(8 * one));
  CHECK(accumulation_slack(5, 0) == 5.0 * std::numeric_limits<float>::denorm_min());
}

TEST_CASE("golden verdict: values that are wrong, or not checked where they must be, end a command",
          "[golden]") {
  GoldenResult good, bad, unchecked;
  good.elements = bad.elements = 3;
  bad.mismatches = 1;
  for (const bool must : {false, true}) {
    CHECK(refusal(good, must).empty());
    CHECK(refusal(bad, must) == "E-RUN-070");
    CHECK(refusal(unchecked, must) == (must ? "E-RUN-072" : ""));
  }
}
