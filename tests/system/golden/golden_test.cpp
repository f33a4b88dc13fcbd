// SPDX-License-Identifier: Apache-2.0
// The golden check must accept every correct machine and reject wrong ones. The machines here are naive
// loops.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "runtime/golden/golden_rule.h"
#include "tests/support/reference/float_formats.h"
#include "workloads/common/host_products.h"
#include "workloads/gemm/golden_gemm.h"

namespace {

using namespace tahoma;
using namespace tahoma::runtime;
using namespace tahoma::workloads;
using isa::DType;

constexpr float kQuietNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

void put(HostTensor& t, std::uint64_t row, std::uint64_t column, double value) {
  isa::store_from_fp32(t.values.data() + (row * t.columns() + column) * isa::size_of(t.dtype), t.dtype,
                       static_cast<float>(round_to(value, t.dtype)));
}

// One element as a systolic array computes it: passes of `pass` rows, fused multiply-adds in fp32, pass sums
// added in fp32. Products for which `keep` is false are omitted.
float machine_dot(const HostTensor& a, const HostTensor& b, std::uint64_t row, std::uint64_t column,
                  std::uint64_t pass, const std::function<bool(std::uint64_t)>& keep = {}) {
  float total = 0;
  for (std::uint64_t begin = 0; begin < a.columns(); begin += pass) {
    float sum = 0;
    for (std::uint64_t k = begin; k < std::min(a.columns(), begin + pass); ++k)
      if (!keep || keep(k)) sum = std::fma(a.at(row, k), b.at(k, column), sum);
    total = begin == 0 ? sum : total + sum;
  }
  return total;
}

struct Gemm {
  HostTensor a, b, c;
  Gemm(DType dtype, std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t seed = 1)
      : a(generate_input("a", dtype, {m, k}, seed)),
        b(generate_input("b", dtype, {k, n}, seed)),
        c(make_tensor("c", dtype, {m, n})) {
    multiply();
  }
  void multiply(std::uint64_t pass = 128) {
    for (std::uint64_t i = 0; i < c.rows(); ++i)
      for (std::uint64_t j = 0; j < c.columns(); ++j) put(c, i, j, machine_dot(a, b, i, j, pass));
  }
  GoldenResult check(const MadeBy& made_by = {}) const { return check_gemm(a, b, c, made_by); }
};

// Every finite value of a format, ascending, with whether its last bit is even.
std::vector<std::pair<double, bool>> values_of(const tahoma::test::FloatFormat& format) {
  std::vector<std::pair<double, bool>> values;
  for (std::uint32_t magnitude = 0; magnitude < format.infinity(); ++magnitude) {
    values.emplace_back(format.extended(magnitude), magnitude % 2 == 0);
  }
  return values;
}

}  // namespace

TEST_CASE("golden rule: rounding picks the nearest of all values of the format, ties to even", "[golden]") {
  const auto format = GENERATE(from_range(tahoma::test::kFloatFormats));
  const DType dtype = format.dtype;
  const auto values = values_of(format);
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 2);
  std::uniform_real_distribution<double> between(0, 1);
  for (int i = 0; i < 20000; ++i) {
    const auto at = pick(random);
    const auto [low, low_even] = values[at];
    const double high = values[at + 1].first, middle = low + (high - low) / 2;
    CHECK(round_to(middle, dtype) == (low_even ? low : high));
    const double x = low + between(random) * (high - low);
    if (x == middle) continue;
    CHECK(round_to(x, dtype) == (x < middle ? low : high));
    CHECK(round_to(-x, dtype) == -(x < middle ? low : high));
  }
  const double top = values.back().first, step = top - values[values.size() - 2].first;
  CHECK(round_to(top + 0.49 * step, dtype) == top);
  CHECK(round_to(top + 0.5 * step, dtype) == std::numeric_limits<double>::infinity());
}

TEST_CASE("golden rule: rounding to fp32 is the host's conversion", "[golden]") {
  std::mt19937_64 random(8);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 280) - 215);
    CHECK(round_to(x, DType::kFp32) == static_cast<double>(static_cast<float>(x)));
  }
}

TEST_CASE("golden gemm: a machine that sums in fp32 is accepted with any number of passes", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp16, DType::kFp32);
  const std::uint64_t pass = GENERATE(1, 32, 128, 100000);
  for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, {7, 5, 300}, {65, 33, 129}, {3, 2, 5000}}) {
    Gemm gemm(dtype, m, n, k);
    gemm.multiply(pass);
    const GoldenResult result = gemm.check();
    INFO(result.first_mismatch);
    CHECK(result.passed());
    CHECK(result.checked());
    CHECK(result.elements == static_cast<std::uint64_t>(m * n));
    CHECK(result.max_rel_error <= result.tolerance);
  }
}

TEST_CASE("golden gemm: all variants of the host products compute the product", "[golden]") {
  const std::ptrdiff_t m = 37, n = 29, k = 211;
  const Gemm gemm(DType::kFp32, m, n, k);
  std::vector<double> a(m * k), b(k * n), want(m * n), got(m * n);
  for (std::ptrdiff_t i = 0; i < m * k; ++i) a[i] = gemm.a.at(i / k, i % k);
  for (std::ptrdiff_t i = 0; i < k * n; ++i) b[i] = gemm.b.at(i / n, i % n);
  for (std::ptrdiff_t i = 0; i < m * n; ++i)
    for (std::ptrdiff_t j = 0; j < k; ++j) want[i] += a[i / n * k + j] * b[j * n + i % n];
  std::vector<const HostProducts*> variants{&kHostProductsBase};
  if (host_runs_v3()) variants.push_back(&kHostProductsV3);
  if (host_runs_v4()) variants.push_back(&kHostProductsV4);
  CHECK(variants.back() == &host_products());
  for (const HostProducts* products : variants) {
    CAPTURE(products->name);
    products->product_f64(a.data(), b.data(), got.data(), m, n, k);
    for (std::ptrdiff_t i = 0; i < m * n; ++i) CHECK(got[i] == Approx(want[i]).margin(1e-12));
  }
}

TEST_CASE("golden gemm: in fp32 one omitted product of 1024 is found", "[golden]") {
  Gemm gemm(DType::kFp32, 24, 24, 1024);
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 24; ++i)
    for (std::uint64_t j = 0; j < 24; ++j) {
      const std::uint64_t dropped = (i * 131 + j * 17) % 1024;
      put(gemm.c, i, j, machine_dot(gemm.a, gemm.b, i, j, 128, [&](auto k) { return k != dropped; }));
      // For values around 18, an error above a thousandth must be found.
      if (std::fabs(gemm.a.at(i, dropped) * gemm.b.at(dropped, j)) > 1e-3F) ++expected;
    }
  const GoldenResult result = gemm.check();
  CHECK_FALSE(result.passed());
  CHECK(expected > 560);
  CHECK(result.mismatches >= expected);
}

TEST_CASE("golden gemm: in bf16 one omitted product of 4096 is found if it is larger than a last place",
          "[golden]") {
  Gemm gemm(DType::kBf16, 16, 16, 4096);
  REQUIRE(gemm.check().passed());
  int found = 0, certain = 0;
  for (std::uint64_t i = 0; i < 16; ++i) {
    Gemm wrong = gemm;
    const std::uint64_t j = (5 * i + 3) % 16, dropped = 200 * i + 7;
    put(wrong.c, i, j, machine_dot(gemm.a, gemm.b, i, j, 128, [&](auto k) { return k != dropped; }));
    const double value = std::fabs(machine_dot(gemm.a, gemm.b, i, j, 128));
    const double last_place = std::ldexp(1.0, std::ilogb(value) - 7);
    const bool must = std::fabs(gemm.a.at(i, dropped) * gemm.b.at(dropped, j)) > 1.05 * last_place;
    const bool failed = !wrong.check().passed();
    if (must) CHECK(failed);
    certain += must ? 1 : 0;
    found += failed ? 1 : 0;
  }
  CHECK(certain >= 5);
  CHECK(found >= certain);
}

TEST_CASE("golden gemm: a k index omitted everywhere is found in bf16 of depth 4096", "[golden]") {
  Gemm gemm(DType::kBf16, 16, 16, 4096);
  const std::uint64_t dropped = GENERATE(0, 127, 2048, 4095);
  for (std::uint64_t i = 0; i < 16; ++i)
    for (std::uint64_t j = 0; j < 16; ++j)
      put(gemm.c, i, j, machine_dot(gemm.a, gemm.b, i, j, 128, [&](auto k) { return k != dropped; }));
  const GoldenResult result = gemm.check();
  CHECK_FALSE(result.passed());
  CHECK(result.mismatches > 100);
}

TEST_CASE("golden gemm: the value beyond the allowed interval fails, its end passes", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp16, DType::kFp32);
  Gemm gemm(dtype, 9, 9, 256);
  double want = 0, high = 0, low = 0;
  for (std::uint64_t k = 0; k < 256; ++k) {
    want += double{gemm.a.at(4, k)} * double{gemm.b.at(k, 4)};
    high = std::max(high, want);
    low = std::min(low, want);
  }
  const Bounds bounds =
      bounds_of(want, accumulation_slack(dtype == DType::kFp32 ? 512 : 256, high - low), dtype);
  put(gemm.c, 4, 4, bounds.high);
  CHECK(gemm.check().passed());
  const double last_place = std::ldexp(2 * unit_roundoff(dtype), std::ilogb(bounds.high));
  put(gemm.c, 4, 4, bounds.high + last_place);
  const GoldenResult result = gemm.check();
  CHECK(result.mismatches == 1);
  // In 16 bits the interval is one value, or two around a tie.
  if (dtype != DType::kFp32) CHECK(bounds.high - bounds.low <= last_place);
}

TEST_CASE("golden gemm: two rows swapped are found", "[golden]") {
  Gemm gemm(DType::kBf16, 12, 10, 64);
  for (std::uint64_t j = 0; j < 10; ++j) {
    const float upper = gemm.c.at(3, j);
    put(gemm.c, 3, j, gemm.c.at(4, j));
    put(gemm.c, 4, j, upper);
  }
  const GoldenResult result = gemm.check();
  CHECK_FALSE(result.passed());
  CHECK(result.mismatches > 15);
  CHECK(result.mismatches <= 20);
}

TEST_CASE("golden gemm: a NaN or infinity that is not expected fails, an expected one passes", "[golden]") {
  const DType dtype = GENERATE(DType::kBf16, DType::kFp32);
  Gemm gemm(dtype, 5, 6, 40);
  for (const float wrong : {kQuietNaN, kInfinite, -kInfinite}) {
    Gemm bad = gemm;
    put(bad.c, 2, 3, wrong);
    const GoldenResult result = bad.check();
    CHECK(result.mismatches == 1);
    CHECK(result.max_abs_error == std::numeric_limits<double>::infinity());
  }
  put(gemm.a, 1, 7, kInfinite);
  put(gemm.a, 2, 7, kQuietNaN);
  gemm.multiply();
  REQUIRE(std::isnan(gemm.c.at(2, 0)));
  CHECK(gemm.check().passed());
  put(gemm.c, 2, 0, 1.0);
  CHECK(gemm.check().mismatches == 1);
}

TEST_CASE("golden gemm: sums with large intermediate values are judged by the largest of them", "[golden]") {
  // Products in ascending order: running sums reach thousands of times the result, and so does their
  // rounding.
  Gemm gemm(DType::kFp32, 4, 4, 4096);
  for (std::uint64_t k = 0; k < 4096; ++k)
    for (std::uint64_t i = 0; i < 4; ++i) {
      put(gemm.a, i, k, 1.0 + 0.1 * static_cast<double>(i));
      put(gemm.b, k, i, (static_cast<double>(k) - 2047.5) * 0.37);
    }
  gemm.multiply(100000);
  CHECK(gemm.check().passed());
  put(gemm.c, 1, 1, gemm.c.at(1, 1) + 100.0);
  CHECK(gemm.check().mismatches == 1);
}

TEST_CASE("golden gemm: a failure names the element, its neighbours and its core", "[golden]") {
  Gemm gemm(DType::kBf16, 6, 6, 32);
  put(gemm.c, 5, 0, 77.0);
  put(gemm.c, 5, 4, 99.0);
  const GoldenResult result = gemm.check(
      [](auto row, auto column) { return "core " + std::to_string(row) + "/" + std::to_string(column); });
  CHECK(result.mismatches == 2);
  CHECK_THAT(result.first_mismatch, Catch::StartsWith("c[5, 0] = 77, expected "));
  CHECK_THAT(result.first_mismatch, Catch::Contains("made by core 5/0"));
  CHECK_THAT(result.first_mismatch,
             Catch::Contains("row 4") && Catch::Contains("row 5") && !Catch::Contains("row 6"));
  CHECK_THAT(result.first_mismatch, Catch::Contains("columns 0 to 1"));
}

TEST_CASE("golden rule: false alarms of a run are rarer than one in a million", "[golden]") {
  CHECK(kGoldenElements * 2 * std::exp(-kGoldenDeviations * kGoldenDeviations / 2) < kGoldenFalseAlarms);
  // The bound is one of probabilities: sums of n even roundings exceed k of their deviations at most that
  // often.
  std::uint64_t state = 1;
  const auto even = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 11U) * 0x1p-52 - 1;  // in [-1, 1)
  };
  for (const int n : {1, 2, 5, 30}) {
    constexpr int kSums = 200'000;
    std::array<int, 5> beyond{};
    for (int sum = 0; sum < kSums; ++sum) {
      double total = 0;
      for (int i = 0; i < n; ++i) total += even();
      for (std::size_t k = 1; k < beyond.size(); ++k)
        beyond.at(k) += std::fabs(total) > static_cast<double>(k) * std::sqrt(n / 3.0) ? 1 : 0;
    }
    for (std::size_t k = 1; k < beyond.size(); ++k) {
      INFO(n << " roundings, " << k << " deviations");
      CHECK(beyond.at(k) <= kSums * 2 * std::exp(-0.5 * static_cast<double>(k * k)));
    }
  }
}

TEST_CASE("golden rule: below the smallest normal number a rounding is absolute", "[golden]") {
  for (const DType dtype : {DType::kFp16, DType::kBf16, DType::kFp8E4M3, DType::kFp32})
    for (double value = 4 * smallest_normal(dtype); value > smallest_normal(dtype) / 4096; value *= 0.93) {
      const double half = unit_roundoff(dtype) * rounded_size(value, dtype);
      INFO(isa::name_of(dtype) << " " << value);
      CHECK(std::fabs(round_to(value, dtype) - value) <= half);
      CHECK(half <= std::max(value * unit_roundoff(dtype), smallest_normal(dtype) * unit_roundoff(dtype)));
    }
  CHECK(rounded_size(0, DType::kFp16) == 0);
}
