// SPDX-License-Identifier: Apache-2.0
// The element-wise engines' operations on single numbers, by the rules of isa/row_kernel.h.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "isa/instruction.h"

namespace tahoma::isa {

inline float one_nan(float value) { return std::isnan(value) ? std::bit_cast<float>(0x7FC00000U) : value; }

// The IEEE 754-2019 maximum and minimum: a NaN wins, and -0 is below +0.
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
    case AluOp::kBypass:
      return a;
    default:
      break;
  }
  return a;
}

// A sequencer's arithmetic: signed 32-bit integers modulo 2^32; shifts take the low five bits of their count
// and fill with zeros.
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
