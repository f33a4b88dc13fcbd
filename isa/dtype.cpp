// SPDX-License-Identifier: Apache-2.0
#include "isa/dtype.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace tahoma::isa {
namespace {

struct DTypeRow {
  std::string_view name;
  std::size_t size;
  bool is_float;
};

constexpr std::array<DTypeRow, kDTypeCount> kRows{{{"fp32", 4, true},
                                                   {"bf16", 2, true},
                                                   {"fp16", 2, true},
                                                   {"int32", 4, false},
                                                   {"uint32", 4, false},
                                                   {"uint8", 1, false}, {"tf32", 4, true}, {"fp8_e4m3", 1, true}, {"fp8_e5m2", 1, true}, {"fp8_e3m4", 1, true}, {"int8", 1, false}, {"int16", 2, false}, {"uint16", 2, false}}};

const DTypeRow& row_of(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void write(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Double holds every value of the three integer types, so the clamp is exact.
template <class T>
T saturate(float value) {
  if (std::isnan(value)) return 0;
  const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const double rounded = std::nearbyint(static_cast<double>(value));
  return static_cast<T>(rounded < low ? low : rounded > high ? high : rounded);
}

}  // namespace

std::size_t size_of(DType dtype) { return row_of(dtype).size; }
std::string_view name_of(DType dtype) { return row_of(dtype).name; }
bool is_float(DType dtype) { return row_of(dtype).is_float; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kDTypeCount; ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::uint16_t bf16_from_fp32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x0040U);
  // Adding just under half an ulp, and the last kept bit, rounds ties to even; the carry runs on into the
  // exponent.
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

std::uint16_t fp16_from_fp32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U, magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0x7C00U;   // 65536 and above, infinity included
  if (magnitude > 0x7F800000U) {  // NaN
    half = 0x7E00U | ((magnitude >> 13) & 0x3FFU);
  } else if (magnitude < 0x38800000U) {  // below 2^-14: the ulp of 0.5f is fp16's subnormal step, 2^-24
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
  } else if (magnitude < 0x47800000U) {  // normal; 65520 and above carry into infinity
    half = (magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

float fp32_from_fp16(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16, magnitude = (half & 0x7FFFU) << 13;
  if (magnitude > 0x0F800000U) return std::bit_cast<float>(sign | magnitude | 0x7FC00000U);
  if (magnitude == 0x0F800000U) return std::bit_cast<float>(sign | 0x7F800000U);
  const float shifted =
      std::bit_cast<float>(magnitude) * 0x1p112F;  // exact: the exponents' biases differ by 112
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(shifted));
}

float load_as_fp32(const std::byte* at, DType dtype) {
  switch (dtype) {
    case DType::kFp32:
      return read<float>(at);
    case DType::kBf16:
      return fp32_from_bf16(read<std::uint16_t>(at));
    case DType::kFp16:
      return fp32_from_fp16(read<std::uint16_t>(at));
    case DType::kInt32:
      return static_cast<float>(read<std::int32_t>(at));
    case DType::kUint32:
      return static_cast<float>(read<std::uint32_t>(at));
    case DType::kUint8:
      return static_cast<float>(read<std::uint8_t>(at));
    default: break;
  }
  return 0.0F;
}

void store_from_fp32(std::byte* at, DType dtype, float value) {
  switch (dtype) {
    case DType::kFp32:
      return write(at, value);
    case DType::kBf16:
      return write(at, bf16_from_fp32(value));
    case DType::kFp16:
      return write(at, fp16_from_fp32(value));
    case DType::kInt32:
      return write(at, saturate<std::int32_t>(value));
    case DType::kUint32:
      return write(at, saturate<std::uint32_t>(value));
    case DType::kUint8:
      return write(at, saturate<std::uint8_t>(value));
    default: break;
  }
}

}  // namespace tahoma::isa
