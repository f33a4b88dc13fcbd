// SPDX-License-Identifier: Apache-2.0
// Element types of tiles and tensors, and exact conversions between them and fp32, the engines' internal
// format. Rounding is to nearest, ties to even; overflow goes to infinity; a NaN stays a NaN (quiet, sign and
// upper payload kept).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tahoma::isa {

enum class DType : std::uint8_t {
  kFp32,
  kBf16,
  kFp16,
  kInt32,
  kUint32,
  kUint8,
  kTf32,
  kFp8E4M3,
  kFp8E5M2,
  kFp8E3M4,
  kInt8,
  kInt16,
  kUint16
};
inline constexpr std::size_t kDTypeCount = 13;

std::size_t size_of(DType dtype);                             // bytes per element
std::string_view name_of(DType dtype);                        // "fp32", "bf16", ...
std::optional<DType> dtype_from_name(std::string_view name);  // exact, lower case
bool is_float(DType dtype);

std::uint16_t bf16_from_fp32(float value);
std::uint16_t fp16_from_fp32(float value);
float fp32_from_fp16(std::uint16_t bits);

inline float fp32_from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// One element of any type, read or written through fp32. Integers convert by rounding to nearest even and
// saturate; NaN becomes 0. int32 and uint32 values beyond 2^24 lose low bits on this path: copies of equal
// types do not use it.
float load_as_fp32(const std::byte* at, DType dtype);
void store_from_fp32(std::byte* at, DType dtype, float value);

}  // namespace tahoma::isa
