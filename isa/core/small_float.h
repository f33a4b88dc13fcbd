// SPDX-License-Identifier: Apache-2.0
// IEEE-like formats with fewer exponent bits than fp32 (fp16 and the fp8 ones): their constants and the
// conversions of one number. isa/core/dtype.h and isa/core/rounding.h say what the conversions mean.
#pragma once

#include <bit>
#include <cstdint>

namespace tahoma::isa {

template <unsigned exponent_bits, unsigned mantissa_bits>
struct SmallFloat {
  static constexpr unsigned kMantissa = mantissa_bits;
  static constexpr unsigned kDropped = 23 - mantissa_bits;  // bits of fp32's mantissa
  static constexpr unsigned kSignShift = 31 - (exponent_bits + mantissa_bits);
  static constexpr std::uint32_t kSign = 1U << (exponent_bits + mantissa_bits);
  static constexpr std::uint32_t kInfinity = kSign - (1U << mantissa_bits);
  static constexpr std::uint32_t kQuiet = 1U << (mantissa_bits - 1);
  static constexpr std::uint32_t kBias = (1U << (exponent_bits - 1)) - 1;
  // fp32 encodings: the difference of the exponent biases, the smallest normal number, and 2^(emax + 1).
  static constexpr std::uint32_t kRebias = (127 - kBias) << 23;
  static constexpr std::uint32_t kSmallestNormal = kRebias + (1U << 23);
  static constexpr std::uint32_t kBeyond = (127 + kBias + 1) << 23;
  // The power of two between a number and its exponent field interpreted as an fp32 exponent, as fp32.
  static constexpr float kScale = std::bit_cast<float>((127 + 127 - kBias) << 23);
  // Subnormal steps per unit, and the number whose fp32 ulp is one such step.
  static constexpr float kSteps = std::bit_cast<float>((127 + kBias - 1 + mantissa_bits) << 23);
  static constexpr std::uint32_t kStepAdder = (127 + 24 - kBias - mantissa_bits) << 23;
};

using Fp16 = SmallFloat<5, 10>;
using Fp8E4M3 = SmallFloat<4, 3>;
using Fp8E5M2 = SmallFloat<5, 2>;
using Fp8E3M4 = SmallFloat<3, 4>;

template <class F>
float decode_small(std::uint32_t bits) {
  const std::uint32_t sign = (bits & F::kSign) << F::kSignShift;
  const std::uint32_t magnitude = (bits & (F::kSign - 1)) << F::kDropped;
  constexpr std::uint32_t infinity = F::kInfinity << F::kDropped;
  if (magnitude > infinity) return std::bit_cast<float>(sign | magnitude | 0x7FC00000U);
  if (magnitude == infinity) return std::bit_cast<float>(sign | 0x7F800000U);
  const float scaled = std::bit_cast<float>(magnitude) * F::kScale;  // exact, subnormals included
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
}

template <class F>
std::uint32_t encode_small(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> F::kSignShift) & F::kSign, magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) {
    return sign | F::kInfinity | F::kQuiet | ((magnitude >> F::kDropped) & (F::kQuiet - 1));
  }
  if (magnitude >= F::kBeyond) return sign | F::kInfinity;
  if (magnitude < F::kSmallestNormal) {
    const float steps = std::bit_cast<float>(magnitude) + std::bit_cast<float>(F::kStepAdder);
    return sign | (std::bit_cast<std::uint32_t>(steps) - F::kStepAdder);
  }
  // Just under half an ulp, and the last kept bit, round ties to even; the carry may run into infinity.
  const std::uint32_t odd = (magnitude >> F::kDropped) & 1U, half = (1U << (F::kDropped - 1)) - 1;
  return sign | ((magnitude - F::kRebias + half + odd) >> F::kDropped);
}

// The OCP's E4M3: the encodings of Fp8E4M3, but the largest exponent means numbers, and only kNanE4M3Fn with
// either sign is a NaN. It has no infinity.
inline constexpr std::uint32_t kNanE4M3Fn = 0x7FU;

inline float decode_e4m3fn(std::uint32_t bits) {
  using F = Fp8E4M3;
  const std::uint32_t sign = (bits & F::kSign) << F::kSignShift, magnitude = bits & (F::kSign - 1);
  if (magnitude == kNanE4M3Fn) return std::bit_cast<float>(sign | 0x7FC00000U);
  const float scaled = std::bit_cast<float>(magnitude << F::kDropped) * F::kScale;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
}

inline std::uint32_t encode_e4m3fn(float value) {
  using F = Fp8E4M3;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> F::kSignShift) & F::kSign, magnitude = bits & 0x7FFFFFFFU;
  if (magnitude < F::kSmallestNormal) return encode_small<F>(value);
  const std::uint32_t odd = (magnitude >> F::kDropped) & 1U, half = (1U << (F::kDropped - 1)) - 1;
  const std::uint32_t rounded = (magnitude - F::kRebias + half + odd) >> F::kDropped;
  return sign | (rounded < kNanE4M3Fn ? rounded : kNanE4M3Fn);
}

// This rounds stochastically, with one random word.
template <class F>
std::uint32_t encode_small_stochastic(float value, std::uint32_t random) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> F::kSignShift) & F::kSign, magnitude = bits & 0x7FFFFFFFU;
  if (magnitude >= F::kBeyond) return encode_small<F>(value);
  if (magnitude >= F::kSmallestNormal) {
    const std::uint32_t below = random & ((1U << F::kDropped) - 1);
    return sign | ((magnitude - F::kRebias + below) >> F::kDropped);
  }
  const float steps = std::bit_cast<float>(magnitude) * F::kSteps;
  const auto whole = static_cast<std::int32_t>(steps);
  const auto fraction = static_cast<std::int32_t>((steps - static_cast<float>(whole)) * 0x1p31F);
  const std::uint32_t sum = static_cast<std::uint32_t>(fraction) + (random & 0x7FFFFFFFU);
  return sign | (static_cast<std::uint32_t>(whole) + (sum >> 31));
}

inline std::uint32_t encode_e4m3fn_stochastic(float value, std::uint32_t random) {
  using F = Fp8E4M3;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> F::kSignShift) & F::kSign, magnitude = bits & 0x7FFFFFFFU;
  if (magnitude < F::kSmallestNormal) return encode_small_stochastic<F>(value, random);
  const std::uint32_t below = random & ((1U << F::kDropped) - 1);
  const std::uint32_t rounded = (magnitude - F::kRebias + below) >> F::kDropped;
  return sign | (rounded < kNanE4M3Fn ? rounded : kNanE4M3Fn);
}

}  // namespace tahoma::isa
