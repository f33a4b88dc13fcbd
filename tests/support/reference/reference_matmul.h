// SPDX-License-Identifier: Apache-2.0
// One element of a matmul by the declared arithmetic of the tensor engine (isa/semantics/semantics.h), in the
// simplest form: lists of the weights and moving elements to be multiplied, in ascending k.
#pragma once

#include <cmath>
#include <vector>

namespace tahoma::test {

// The halves of an fp32 number: its upper 12 significant bits, and the remainder.
struct HalfPair {
  float high, low;
};
inline HalfPair halves_of(float x) {
  constexpr double kSmallestNormal = 0x1p-126, kLowBits = 0x1p-137;
  if (!std::isfinite(x) || std::fabs(x) < kLowBits) return {x, 0.0F};
  const double step = std::fabs(x) < kSmallestNormal ? kLowBits : std::ldexp(1.0, std::ilogb(x) - 11);
  const double high = std::trunc(x / step) * step;
  return {static_cast<float>(high), static_cast<float>(x - high)};
}
inline float finite_or_zero(float x) { return std::isfinite(x) ? x : 0.0F; }

struct ProductTerms {
  std::vector<float> weights, moving;
  bool weights_have_low = false, moving_has_low = false;  // fp32 not declared to be 0 or 1
};

enum class Part { kLow, kHigh, kFiniteHigh };
inline float part_of(float x, Part part) {
  const HalfPair halves = halves_of(x);
  if (part == Part::kLow) return halves.low;
  return part == Part::kHigh ? halves.high : finite_or_zero(halves.high);
}

inline float chain(const std::vector<float>& w, const std::vector<float>& x) {
  float sum = 0.0F;
  for (std::size_t k = 0; k < w.size(); ++k) sum = std::fma(w[k], x[k], sum);
  return sum;
}
inline float chain_of_parts(const ProductTerms& m, Part weights, Part moving) {
  std::vector<float> w, x;
  for (const float v : m.weights) w.push_back(part_of(v, weights));
  for (const float v : m.moving) x.push_back(part_of(v, moving));
  return chain(w, x);
}

// Operands of a single pass: neither is fp32.
inline float matmul_element(const ProductTerms& m, bool accumulate, float before) {
  const float sum = chain(m.weights, m.moving);
  return accumulate ? before + sum : sum;
}

// fp32, or fp32 with tf32, in passes over halves. The high half of a tf32 number is the whole number: it has
// 11 significant bits.
inline float matmul_element_in_passes(const ProductTerms& m, bool accumulate, float before) {
  float total = before;
  bool add = accumulate;
  const auto pass = [&](Part weights, Part moving) {
    const float sum = chain_of_parts(m, weights, moving);
    total = add ? total + sum : sum;
    add = true;
  };
  if (m.weights_have_low && m.moving_has_low) pass(Part::kLow, Part::kLow);
  if (m.moving_has_low) pass(Part::kFiniteHigh, Part::kLow);
  if (m.weights_have_low) pass(Part::kLow, Part::kFiniteHigh);
  pass(Part::kHigh, Part::kHigh);
  return total;
}

}  // namespace tahoma::test
