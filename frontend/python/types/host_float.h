// SPDX-License-Identifier: Apache-2.0
// The low-precision types of the core as values of the host: their names and their conversions, which are the
// engines'.
#pragma once

#include <array>
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

// float8_e4m3fn is float8_e4m3 on this core: its largest value is 240.
inline constexpr std::array<HostType, 5> kHostTypes = {{{"bfloat16", isa::DType::kBf16},
                                                        {"float8_e4m3", isa::DType::kFp8E4M3},
                                                        {"float8_e4m3fn", isa::DType::kFp8E4M3},
                                                        {"float8_e5m2", isa::DType::kFp8E5M2},
                                                        {"float8_e3m4", isa::DType::kFp8E3M4}}};

// The bytes of an element of type number N.
template <int N>
using Bits = std::conditional_t<N == 0, std::uint16_t, std::uint8_t>;

template <int N>
float load(const void* at) {
  if constexpr (N == 0) {
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return isa::fp32_from_bf16(bits);
  } else {
    return isa::load_as_fp32(static_cast<const std::byte*>(at), kHostTypes[N].dtype);
  }
}

template <int N>
void store(void* at, float value) {
  isa::store_from_fp32(static_cast<std::byte*>(at), kHostTypes[N].dtype, value);
}

}  // namespace tahoma::python
