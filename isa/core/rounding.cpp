// SPDX-License-Identifier: Apache-2.0
#include "isa/core/rounding.h"

#include <bit>
#include <cstring>

#include "isa/core/small_float.h"

namespace tahoma::isa {
namespace {

constexpr std::uint32_t kFp32Infinity = 0x7F800000U;

// Rounds to formats with fp32's exponent: adds and clears the `dropped` low bits. A carry may give infinity.
std::uint32_t with_random_bits(float value, unsigned dropped, std::uint32_t random) {
  return std::bit_cast<std::uint32_t>(value) + (random & ((1U << dropped) - 1));
}

bool is_finite(float value) { return (std::bit_cast<std::uint32_t>(value) & kFp32Infinity) != kFp32Infinity; }

template <class T>
void write_bits(std::byte* at, std::uint32_t bits) {
  const auto value = static_cast<T>(bits);
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

bool rounds_stochastically(DType dtype) { return is_float(dtype) && dtype != DType::kFp32; }

void store_rounded(std::byte* at, DType dtype, float value, Rounding* rounding) {
  if (rounding == nullptr || !rounds_stochastically(dtype)) return store_from_fp32(at, dtype, value);
  const std::uint32_t random = rounding->next();
  if (!is_finite(value)) return store_from_fp32(at, dtype, value);
  switch (dtype) {
    case DType::kTf32:
      return write_bits<std::uint32_t>(at, with_random_bits(value, 13, random) & ~0x1FFFU);
    case DType::kBf16:
      return write_bits<std::uint16_t>(at, with_random_bits(value, 16, random) >> 16);
    case DType::kFp16:
      return write_bits<std::uint16_t>(at, encode_small_stochastic<Fp16>(value, random));
    case DType::kFp8E4M3:
      return write_bits<std::uint8_t>(at, encode_small_stochastic<Fp8E4M3>(value, random));
    case DType::kFp8E5M2:
      return write_bits<std::uint8_t>(at, encode_small_stochastic<Fp8E5M2>(value, random));
    case DType::kFp8E3M4:
      return write_bits<std::uint8_t>(at, encode_small_stochastic<Fp8E3M4>(value, random));
    case DType::kFp8E4M3Fn:
      return write_bits<std::uint8_t>(at, encode_e4m3fn_stochastic(value, random));
    default:
      return;  // excluded above
  }
}

}  // namespace tahoma::isa
