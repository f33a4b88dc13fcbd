// SPDX-License-Identifier: Apache-2.0
// The ALU operations by their definition: arithmetic in double (long double for roots and powers), rounded to
// fp32 once; bit operations bit by bit. Shares no code with isa/simd/alu.h and the row
// kernels.
#pragma once

#include <cmath>
#include <cstdint>

#include "isa/core/instruction.h"

namespace tahoma::test {

inline constexpr isa::AluOp kBinaryOps[] = {
    isa::AluOp::kAdd,        isa::AluOp::kSubtract,   isa::AluOp::kMult,      isa::AluOp::kDivide,
    isa::AluOp::kMax,        isa::AluOp::kMin,        isa::AluOp::kPower,     isa::AluOp::kIsEqual,
    isa::AluOp::kIsNotEqual, isa::AluOp::kIsGe,       isa::AluOp::kIsGt,      isa::AluOp::kIsLe,
    isa::AluOp::kIsLt,       isa::AluOp::kLogicalAnd, isa::AluOp::kLogicalOr, isa::AluOp::kLogicalXor};
// Of NeuronCore-v4's vector engine.
inline constexpr isa::AluOp kMagnitudeOps[] = {isa::AluOp::kAbsMax, isa::AluOp::kAbsMin};
inline constexpr isa::AluOp kUnaryOps[] = {isa::AluOp::kRsqrt, isa::AluOp::kReciprocal, isa::AluOp::kAbs,
                                           isa::AluOp::kBypass};
inline constexpr isa::AluOp kBitOps[] = {isa::AluOp::kBitwiseAnd, isa::AluOp::kBitwiseOr,
                                         isa::AluOp::kBitwiseXor, isa::AluOp::kShiftLeft,
                                         isa::AluOp::kShiftRight};

inline bool takes_one(isa::AluOp op) {
  for (const isa::AluOp unary : kUnaryOps) {
    if (unary == op) return true;
  }
  return op == isa::AluOp::kBitwiseNot;
}

// The operations as defined by IEEE 754-2019. A sum of doubles that are fp32 values may round twice without
// an error, since 53 >= 2 * 24 + 2.
inline float apply(isa::AluOp op, float a, float b) {
  using isa::AluOp;
  const double x = a, y = b;
  const bool nan = std::isnan(a) || std::isnan(b), zeros = a == 0 && b == 0;
  switch (op) {
    case AluOp::kAdd:
      return static_cast<float>(x + y);
    case AluOp::kSubtract:
      return static_cast<float>(x - y);
    case AluOp::kMult:
      return static_cast<float>(x * y);
    case AluOp::kDivide:
      return static_cast<float>(x / y);
    case AluOp::kMax:
      return nan ? NAN : zeros ? (std::signbit(a) && std::signbit(b) ? -0.0F : 0.0F) : std::fmax(a, b);
    case AluOp::kMin:
      return nan ? NAN : zeros ? (std::signbit(a) || std::signbit(b) ? -0.0F : 0.0F) : std::fmin(a, b);
    case AluOp::kPower:
      return static_cast<float>(std::pow(static_cast<long double>(a), static_cast<long double>(b)));
    case AluOp::kIsEqual:
      return !nan && x - y == 0 ? 1.0F : !nan && std::isinf(a) && x * y > 0 && std::isinf(b) ? 1.0F : 0.0F;
    case AluOp::kIsNotEqual:
      return apply(AluOp::kIsEqual, a, b) == 0 ? 1.0F : 0.0F;
    case AluOp::kIsGe:
      return !nan && !(x < y) ? 1.0F : 0.0F;
    case AluOp::kIsGt:
      return !nan && !(x <= y) ? 1.0F : 0.0F;
    case AluOp::kIsLe:
      return !nan && !(x > y) ? 1.0F : 0.0F;
    case AluOp::kIsLt:
      return !nan && !(x >= y) ? 1.0F : 0.0F;
    case AluOp::kLogicalAnd:
      return a != 0 && b != 0 ? 1.0F : 0.0F;
    case AluOp::kLogicalOr:
      return a != 0 || b != 0 ? 1.0F : 0.0F;
    case AluOp::kLogicalXor:
      return (a != 0) != (b != 0) ? 1.0F : 0.0F;
    case AluOp::kRsqrt:
      return static_cast<float>(1 / std::sqrt(static_cast<long double>(a)));
    case AluOp::kReciprocal:
      return static_cast<float>(1 / x);
    case AluOp::kAbs:
      return std::copysign(a, 1.0F);
    case AluOp::kAbsMax:
    case AluOp::kAbsMin:
      return apply(op == AluOp::kAbsMax ? AluOp::kMax : AluOp::kMin, std::copysign(a, 1.0F),
                   std::copysign(b, 1.0F));
    default:
      return a;
  }
}

inline float apply(isa::AluOp op, bool reverse, float a, float b) {
  return reverse && !takes_one(op) ? apply(op, b, a) : apply(op, a, b);
}

// Bit by bit, on numbers of `width` bits.
inline std::uint32_t apply_bits(isa::AluOp op, std::uint32_t a, std::uint32_t b, unsigned width) {
  using isa::AluOp;
  std::uint32_t result = 0;
  for (unsigned k = 0; k < width; ++k) {
    const auto bit = [](std::uint32_t word, std::uint64_t at) { return (word >> at & 1U) != 0; };
    bool one = bit(a, k);
    const std::uint64_t count = b;
    if (op == AluOp::kBitwiseAnd) one = bit(a, k) && bit(b, k);
    if (op == AluOp::kBitwiseOr) one = bit(a, k) || bit(b, k);
    if (op == AluOp::kBitwiseXor) one = bit(a, k) != bit(b, k);
    if (op == AluOp::kBitwiseNot) one = !bit(a, k);
    if (op == AluOp::kShiftLeft) one = count <= k && bit(a, k - count);
    if (op == AluOp::kShiftRight) one = k + count < width && bit(a, k + count);
    if (one) result |= 1U << k;
  }
  return result;
}

}  // namespace tahoma::test
