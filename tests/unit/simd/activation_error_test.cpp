// SPDX-License-Identifier: Apache-2.0
// Every function of the scalar engine stays within the error that its row states, compared with its
// definition in long double; and the check of this can fail.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "isa/simd/activation_loop.h"
#include "isa/table/table_names.h"
#include "tests/support/bench/tile_memory.h"
#include "tests/support/reference/activation_reference.h"

namespace {

using namespace tahoma;
using isa::ActFn;
using test::WorstError;

constexpr float kAlpha = -0.3F;

std::vector<float> computed(ActFn fn, const std::vector<float>& in) {
  std::vector<float> out(in.size());
  isa::activation_row(fn, in.data(), out.data(), in.size(), kAlpha);
  return out;
}

void check_bound(ActFn fn, const std::vector<float>& in) {
  const isa::ActFnRow& row = isa::activation_function(fn);
  const WorstError worst = test::worst_error(row, in, computed(fn, in), kAlpha);
  CAPTURE(isa::name_of(fn), row.error.ulps, worst.share, worst.x, worst.got, worst.exact);
  CHECK(worst.share <= 1.0);
}

}  // namespace

TEST_CASE("activation error: within each function's bound for every fp16 number", "[isa]") {
  const auto inputs = test::every_fp16();
  REQUIRE(inputs.size() == 0x10000 - 2 * 1024);  // all except infinities and NaNs
  for (const ActFn fn : test::all_activations()) check_bound(fn, inputs);
}

TEST_CASE("activation error: within each function's bound on a dense sample of fp32", "[isa]") {
  const auto inputs = test::sampled_fp32();
  for (const ActFn fn : test::all_activations()) check_bound(fn, inputs);
}

TEST_CASE("activation error: no function is granted more than 5 ulp, nor 2^-24 around a zero", "[isa]") {
  for (const isa::ActFnRow& row : isa::activation_functions()) {
    CAPTURE(isa::name_of(row.fn));
    CHECK(row.error.ulps <= 5);
    CHECK(row.error.absolute <= 0x1p-24);
    if (row.error.absolute == 0) continue;
    // The interval is small and holds a zero.
    CHECK(row.error.to - row.error.from <= 0.8);
    const long double left = test::exact_activation(row.fn, row.error.from);
    const long double right = test::exact_activation(row.fn, row.error.to);
    CHECK(left * right < 0);
  }
}

TEST_CASE("activation error: the judge catches a result that is off by an ulp beyond the bound", "[isa]") {
  const auto inputs = test::every_fp16();
  for (const ActFn fn : test::all_activations()) {
    const isa::ActFnRow& row = isa::activation_function(fn);
    auto results = computed(fn, inputs);
    const std::size_t at = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), 1.5F) -
                                                    inputs.begin());  // no function is zero there
    const auto exact = static_cast<float>(test::exact_activation(fn, 1.5L, kAlpha));
    results[at] = exact;
    for (int step = 0; step <= static_cast<int>(row.error.ulps) + 1; ++step)
      results[at] = std::nextafter(results[at], 10.0F);
    const WorstError worst = test::worst_error(row, inputs, results, kAlpha);
    CAPTURE(isa::name_of(fn), worst.share);
    CHECK(worst.share > 1.0);
    CHECK(worst.x == 1.5F);
    CHECK(worst.got == results[at]);
  }
}

TEST_CASE("activation error: the judge catches a wrong function, a NaN and a false infinity", "[isa]") {
  const auto inputs = test::every_fp16();
  const auto share = [&](ActFn judged, const std::vector<float>& results) {
    return test::worst_error(isa::activation_function(judged), inputs, results, kAlpha).share;
  };
  CHECK(share(ActFn::kGelu, computed(ActFn::kGeluTanh, inputs)) > 1);
  CHECK(share(ActFn::kGeluTanh, computed(ActFn::kGelu, inputs)) > 1);
  CHECK(share(ActFn::kSilu, computed(ActFn::kMish, inputs)) > 1);
  auto results = computed(ActFn::kTanh, inputs);
  results[100] = std::numeric_limits<float>::quiet_NaN();
  CHECK(share(ActFn::kTanh, results) > 1);
  results[100] = std::numeric_limits<float>::infinity();
  CHECK(share(ActFn::kTanh, results) > 1);
}

TEST_CASE("activation error: derivatives are those of their functions, by central differences", "[isa]") {
  // In long double a step of 1e-5 leaves 1e-11 of truncation and 1e-14 of rounding.
  constexpr long double kStep = 1e-5L;
  const std::pair<ActFn, ActFn> pairs[] = {{ActFn::kGelu, ActFn::kGeluDx},
                                           {ActFn::kGeluSigmoid, ActFn::kGeluSigmoidDx},
                                           {ActFn::kSilu, ActFn::kSiluDx},
                                           {ActFn::kErf, ActFn::kErfDx}};
  for (const auto& [function, derivative] : pairs) {
    double worst = 0;
    float at = 0;
    for (int i = -4000; i <= 4000; ++i) {
      const float x = static_cast<float>(i) / 256.0F;
      const long double slope =
          (test::exact_activation(function, x + kStep) - test::exact_activation(function, x - kStep)) /
          (2 * kStep);
      float got = 0;
      isa::activation_row(derivative, &x, &got, 1);
      const auto error = static_cast<double>(std::fabs(got - slope));
      if (error <= worst) continue;
      worst = error;
      at = x;
    }
    CAPTURE(isa::name_of(derivative), at, worst);
    CHECK(worst < 5 * 0x1p-23);  // 5 ulp of results up to 1.2
  }
}
