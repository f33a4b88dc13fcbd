// SPDX-License-Identifier: Apache-2.0
// The low-precision types of the core as values of the host: their names and their conversions, which are the
// engines'.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "isa/core/dtype.h"

namespace tahoma::python {

struct HostType {
  const char* name;
  isa::DType dtype;
};

inline constexpr std::array<HostType, 6> kHostTypes = {{{"bfloat16", isa::DType::kBf16},
                                                        {"float8_e4m3", isa::DType::kFp8E4M3},
                                                        {"float8_e4m3fn", isa::DType::kFp8E4M3Fn},
                                                        {"float8_e5m2", isa::DType::kFp8E5M2},
                                                        {"float8_e3m4", isa::DType::kFp8E3M4},
                                                        {"float4_e2m1fn", isa::DType::kUint8}}};

// E2M1 of the OCP's Microscaling Formats 1.0, in the low four bits of a byte. It has neither infinity nor
// NaN: larger numbers become 6 and a NaN -0, as in ml_dtypes.
inline constexpr int kE2M1 = 5;
inline constexpr std::array<float, 8> kE2M1Numbers = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
inline constexpr std::uint8_t kE2M1Sign = 8;

inline std::uint8_t e2m1_of(float value) {
  if (std::isnan(value)) return kE2M1Sign;
  const float size = std::fabs(value);
  std::uint8_t code = 0;
  while (code + 1U < kE2M1Numbers.size()) {
    const float halfway = (kE2M1Numbers[code] + kE2M1Numbers[code + 1U]) / 2;
    if (size < halfway || (size == halfway && code % 2 == 0)) break;  // ties to even
    ++code;
  }
  return static_cast<std::uint8_t>(code | (std::signbit(value) ? kE2M1Sign : 0U));
}

// The bytes of an element of type number N.
template <int N>
using Bits = std::conditional_t<N == 0, std::uint16_t, std::uint8_t>;

template <int N>
float load(const void* at) {
  if constexpr (N == 0) {
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return isa::fp32_from_bf16(bits);
  } else if constexpr (N == kE2M1) {
    const auto code = *static_cast<const std::uint8_t*>(at);
    const float size = kE2M1Numbers[code % kE2M1Sign];
    return (code & kE2M1Sign) != 0 ? -size : size;
  } else {
    return isa::load_as_fp32(static_cast<const std::byte*>(at), kHostTypes[N].dtype);
  }
}

template <int N>
void store(void* at, float value) {
  if constexpr (N == kE2M1)
    *static_cast<std::uint8_t*>(at) = e2m1_of(value);
  else
    isa::store_from_fp32(static_cast<std::byte*>(at), kHostTypes[N].dtype, value);
}

}  // namespace tahoma::python
