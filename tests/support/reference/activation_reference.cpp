// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/activation_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/core/dtype.h"
#include "isa/table/table_names.h"

namespace tahoma::test {
namespace {

using Real = long double;
using isa::ActFn;

constexpr Real kPi = 3.141592653589793238462643383279502884L;

Real logistic(Real t) { return 1 / (1 + std::exp(-t)); }
Real logistic_slope(Real t) { return logistic(t) + t * logistic(t) * logistic(-t); }  // of t logistic(t)
Real softplus(Real x) { return x > 1000 ? x : std::log1p(std::exp(x)); }
Real normal(Real x) { return std::erfc(-x / std::sqrt(Real{2})) / 2; }
Real density(Real x) { return std::exp(-x * x / 2) / std::sqrt(2 * kPi); }
// (1 + tanh y) / 2 without its cancellation
Real half_of_one_plus_tanh(Real y) { return logistic(2 * y); }

double ulp_of(Real exact) {
  const int exponent = exact == 0 ? -149 : std::ilogb(exact) - 23;
  return std::ldexp(1.0, std::max(exponent, -149));
}

double share_of_allowance(const isa::ActFnRow& row, float x, float got, Real exact) {
  constexpr double kNever = 1e30;
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : kNever;
  const Real limit = std::ldexp(Real{1}, 128);
  const auto counted = [&](Real v) { return std::copysign(std::min(std::fabs(v), limit), v); };
  const Real error = std::fabs(counted(got) - counted(exact));
  const isa::ErrorBound& bound = row.error;
  const bool near_zero = x >= bound.from && x <= bound.to;
  const double allowed = near_zero ? bound.absolute : bound.ulps * ulp_of(counted(exact));
  if (error == 0) return 0;
  return allowed == 0 ? kNever : static_cast<double>(error / allowed);
}

void add_both_signs(std::vector<float>& out, float x) {
  out.push_back(x);
  out.push_back(-x);
}

}  // namespace

Real exact_activation(ActFn fn, Real x, Real alpha) {
  switch (fn) {
    case ActFn::kCopy:
      return x;
    case ActFn::kSquare:
      return x * x;
    case ActFn::kRelu:
      return x > 0 ? x : 0;
    case ActFn::kAbs:
      return std::fabs(x);
    case ActFn::kSign:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case ActFn::kExp:
      return std::exp(x);
    case ActFn::kReciprocal:
      return 1 / x;
    case ActFn::kSqrt:
      return std::sqrt(x);
    case ActFn::kSigmoid:
      return logistic(x);
    case ActFn::kPrelu:
      return x < 0 ? alpha * x : x;
    case ActFn::kGelu:
      return x * normal(x);
    case ActFn::kGeluDx:
      return normal(x) + x * density(x);
    case ActFn::kGeluTanh:
      return x * half_of_one_plus_tanh(std::sqrt(2 / kPi) * (x + 0.044715L * x * x * x));
    case ActFn::kGeluSigmoid:
      return x * logistic(1.702L * x);
    case ActFn::kGeluSigmoidDx:
      return logistic_slope(1.702L * x);
    case ActFn::kSilu:
      return x * logistic(x);
    case ActFn::kSiluDx:
      return logistic_slope(x);
    case ActFn::kTanh:
      return std::tanh(x);
    case ActFn::kSoftplus:
      return softplus(x);
    case ActFn::kMish:
      return x * std::tanh(softplus(x));
    case ActFn::kErf:
      return std::erf(x);
    case ActFn::kErfDx:
      return 2 / std::sqrt(kPi) * std::exp(-x * x);
    case ActFn::kLog:
      return std::log(x);
    case ActFn::kSin:
      return std::fabs(x) <= 32768 ? std::sin(x) : std::numeric_limits<Real>::quiet_NaN();
    case ActFn::kArctan:
      return std::atan(x);
    case ActFn::kRsqrt:
      return 1 / std::sqrt(x);
  }
  return std::numeric_limits<Real>::quiet_NaN();
}

std::vector<ActFn> all_activations() {
  std::vector<ActFn> functions;
  for (std::size_t i = 0; i < isa::kEnumeratorCount<ActFn>; ++i) functions.push_back(static_cast<ActFn>(i));
  return functions;
}

std::vector<float> every_fp16() {
  std::vector<float> numbers;
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const float x = isa::fp32_from_fp16(static_cast<std::uint16_t>(bits));
    if (std::isfinite(x)) numbers.push_back(x);
  }
  return numbers;
}

std::vector<float> sampled_fp32() {
  std::vector<float> numbers;
  // 211 is odd and the mantissas of neighbouring binades differ, so the grid is not regular.
  for (std::uint32_t bits = 0; bits < 0x7F800000U; bits += 0x7F800000U / 40000 - 211)
    add_both_signs(numbers, std::bit_cast<float>(bits));
  for (std::uint32_t k = 0; k < 23; ++k) add_both_signs(numbers, std::bit_cast<float>(1U << k));
  for (int i = 0; i < 30000; ++i) add_both_signs(numbers, static_cast<float>(i) * (130.0F / 30000.0F));
  for (int i = 0; i < 20000; ++i) add_both_signs(numbers, static_cast<float>(i) * (6.0F / 20000.0F));
  std::vector<float> borders{
      0.41421357F, 0.6F,   0.75F, 1.0F,   2.4142135F, 0x1p-126F,
      10.5F,       15.5F,  16.0F, 89.0F,  104.0F,     126.0F,
      88.72284F,   87.34F, 1e-7F, 65504., 0x1p15F,    std::numeric_limits<float>::max()};
  for (int k = 1; k < 10430; k += k < 200 ? 1 : 17)
    borders.push_back(static_cast<float>(static_cast<double>(k) * static_cast<double>(kPi) / 2));
  for (const float border : borders) {
    add_both_signs(numbers, border);
    add_both_signs(numbers, std::nextafter(border, 0.0F));
    if (border < std::numeric_limits<float>::max()) add_both_signs(numbers, std::nextafter(border, 1e38F));
  }
  return numbers;
}

WorstError worst_error(const isa::ActFnRow& row, std::span<const float> in, std::span<const float> got,
                       float alpha) {
  WorstError worst;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Real exact = exact_activation(row.fn, in[i], alpha);
    const double share = share_of_allowance(row, in[i], got[i], exact);
    if (share > worst.share) worst = {share, in[i], got[i], exact};
  }
  return worst;
}

}  // namespace tahoma::test
