// SPDX-License-Identifier: Apache-2.0
// Operations on integers as stored in memory: bit operations of one width, and GpSimd's exact arithmetic.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "isa/simd/alu.h"

namespace tahoma::isa {

// Loads the bits of an element of 1, 2 or 4 bytes, zero-extended; a store keeps the low bits.
inline std::uint32_t load_bits(const std::byte* at, std::size_t size) {
  std::uint8_t byte = 0;
  std::uint16_t half = 0;
  std::uint32_t word = 0;
  if (size == 1) return std::memcpy(&byte, at, 1), byte;
  if (size == 2) return std::memcpy(&half, at, 2), half;
  return std::memcpy(&word, at, 4), word;
}
inline void store_bits(std::byte* at, std::size_t size, std::uint32_t bits) {
  const auto byte = static_cast<std::uint8_t>(bits);
  const auto half = static_cast<std::uint16_t>(bits);
  if (size == 1) {
    std::memcpy(at, &byte, 1);
  } else if (size == 2) {
    std::memcpy(at, &half, 2);
  } else {
    std::memcpy(at, &bits, 4);
  }
}

// Executes a bit operation on numbers of `width` bits (8, 16 or 32). Higher bits of the operands, except of a
// shift count, and of the result are truncated. Shifts fill with zeros; counts of `width` and more give 0.
inline std::uint32_t bit_alu(AluOp op, std::uint32_t a, std::uint32_t b, unsigned width) {
  const std::uint32_t mask = ~0U >> (32 - width), x = a & mask;
  switch (op) {
    case AluOp::kBitwiseAnd:
      return x & b;
    case AluOp::kBitwiseOr:
      return (x | b) & mask;
    case AluOp::kBitwiseXor:
      return (x ^ b) & mask;
    case AluOp::kBitwiseNot:
      return ~x & mask;
    case AluOp::kShiftLeft:
      return b < width ? (x << b) & mask : 0;
    case AluOp::kShiftRight:
      return b < width ? x >> b : 0;
    default:
      return x;  // bypass
  }
}

// Converts the constant of a bit operation: the integer part of an fp32 number modulo 2^32; 0 for
// infinities and NaNs.
inline std::uint32_t integer_bits(float value) {
  // From 2^56 on, an fp32 number is a multiple of 2^33.
  return std::fabs(value) < 0x1p56F
             ? static_cast<std::uint32_t>(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)))
             : 0;
}

// a^b modulo 2^32. A negative exponent truncates 1 / a^-b like a division.
inline std::uint32_t integer_power(std::int64_t a, std::int64_t b) {
  if (b < 0) {
    if (a == 0) return ~0U;
    return a == 1 || (a == -1 && b % 2 == 0) ? 1U : a == -1 ? ~0U : 0U;
  }
  std::uint32_t result = 1, square = static_cast<std::uint32_t>(a);
  for (; b > 0; b >>= 1, square *= square) {
    if ((b & 1) != 0) result *= square;
  }
  return result;
}

// GpSimd's arithmetic on int32 or uint32 operands: the exact integer result modulo 2^32. Quotients truncate
// towards zero; division by zero gives all ones (assumed: not published for the silicon). Comparisons and
// logical operations give 1 or 0.
inline std::uint32_t exact_alu(AluOp op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  switch (op) {
    case AluOp::kAdd:
      return x + y;
    case AluOp::kSubtract:
      return x - y;
    case AluOp::kMult:
      return x * y;
    case AluOp::kDivide:
      return b == 0 ? ~0U : static_cast<std::uint32_t>(a / b);
    case AluOp::kMax:
      return a > b ? x : y;
    case AluOp::kMin:
      return a < b ? x : y;
    case AluOp::kPower:
      return integer_power(a, b);
    case AluOp::kIsEqual:
      return a == b;
    case AluOp::kIsNotEqual:
      return a != b;
    case AluOp::kIsGe:
      return a >= b;
    case AluOp::kIsGt:
      return a > b;
    case AluOp::kIsLe:
      return a <= b;
    case AluOp::kIsLt:
      return a < b;
    case AluOp::kLogicalAnd:
      return a != 0 && b != 0;
    case AluOp::kLogicalOr:
      return a != 0 || b != 0;
    case AluOp::kLogicalXor:
      return (a != 0) != (b != 0);
    default:
      return x;
  }
}

}  // namespace tahoma::isa
