// SPDX-License-Identifier: Apache-2.0
// The element-wise engines' operations on single numbers, by the rules of isa/simd/row_loop.h.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "isa/core/instruction.h"
#include "isa/simd/power.h"

namespace tahoma::isa {

inline constexpr std::uint32_t kOneNan = 0x7FC00000U;
inline float one_nan(float value) { return std::isnan(value) ? std::bit_cast<float>(kOneNan) : value; }

// Returns whether the operation ignores its right operand.
constexpr bool is_unary(AluOp op) {
  return op == AluOp::kBypass || op == AluOp::kRsqrt || op == AluOp::kReciprocal || op == AluOp::kAbs ||
         op == AluOp::kBitwiseNot;
}
constexpr bool is_bitwise(AluOp op) { return op >= AluOp::kBitwiseAnd && op <= AluOp::kShiftRight; }

// These are the IEEE 754-2019 maximum and minimum: a NaN operand gives a NaN, and -0 is below +0.
inline float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return one_nan(a + b);
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline float minimum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return one_nan(a + b);
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// Zero is false; everything else, NaNs included, is true.
inline bool truth(float value) { return value != 0; }
inline float from_truth(bool value) { return value ? 1.0F : 0.0F; }

// Arithmetic operations. A bit operation has no meaning in fp32 and returns a.
inline float alu(AluOp op, float a, float b) {
  switch (op) {
    case AluOp::kAdd:
      return one_nan(a + b);
    case AluOp::kSubtract:
      return one_nan(a - b);
    case AluOp::kMult:
      return one_nan(a * b);
    case AluOp::kDivide:
      return one_nan(a / b);
    case AluOp::kMax:
      return maximum(a, b);
    case AluOp::kMin:
      return minimum(a, b);
    case AluOp::kPower:
      return power(a, b);
    case AluOp::kIsEqual:
      return from_truth(a == b);
    case AluOp::kIsNotEqual:
      return from_truth(a != b);
    case AluOp::kIsGe:
      return from_truth(a >= b);
    case AluOp::kIsGt:
      return from_truth(a > b);
    case AluOp::kIsLe:
      return from_truth(a <= b);
    case AluOp::kIsLt:
      return from_truth(a < b);
    case AluOp::kLogicalAnd:
      return from_truth(truth(a) && truth(b));
    case AluOp::kLogicalOr:
      return from_truth(truth(a) || truth(b));
    case AluOp::kLogicalXor:
      return from_truth(truth(a) != truth(b));
    case AluOp::kRsqrt:
      return reciprocal_root(a);
    case AluOp::kReciprocal:
      return one_nan(1.0F / a);
    case AluOp::kAbs:
      return one_nan(std::fabs(a));
    case AluOp::kAbsMax:
      return maximum(std::fabs(a), std::fabs(b));
    case AluOp::kAbsMin:
      return minimum(std::fabs(a), std::fabs(b));
    default:
      return a;
  }
}

// This is the sequencer's register arithmetic on signed 32-bit integers modulo 2^32. Shifts use the low five
// bits of their count and fill with zeros.
inline std::int32_t register_alu(AluOp op, std::int32_t a, std::int32_t b) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  const auto signed_of = [](std::uint32_t bits) { return static_cast<std::int32_t>(bits); };
  switch (op) {
    case AluOp::kAdd:
      return signed_of(x + y);
    case AluOp::kSubtract:
      return signed_of(x - y);
    case AluOp::kMult:
      return signed_of(x * y);
    case AluOp::kMax:
      return a > b ? a : b;
    case AluOp::kMin:
      return a < b ? a : b;
    case AluOp::kBitwiseAnd:
      return signed_of(x & y);
    case AluOp::kBitwiseOr:
      return signed_of(x | y);
    case AluOp::kBitwiseXor:
      return signed_of(x ^ y);
    case AluOp::kShiftLeft:
      return signed_of(x << (y & 31U));
    case AluOp::kShiftRight:
      return signed_of(x >> (y & 31U));
    default:
      return a;
  }
}

template <class T>
bool compare(CompareOp op, T a, T b) {
  switch (op) {
    case CompareOp::kEq:
      return a == b;
    case CompareOp::kNe:
      return a != b;
    case CompareOp::kLt:
      return a < b;
    case CompareOp::kLe:
      return a <= b;
    case CompareOp::kGt:
      return a > b;
    case CompareOp::kGe:
      return a >= b;
  }
  return false;
}

}  // namespace tahoma::isa
