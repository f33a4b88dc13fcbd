// SPDX-License-Identifier: Apache-2.0
#include "isa/core/dtype.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/core/small_float.h"

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
                                                   {"uint8", 1, false},
                                                   {"tf32", 4, true},
                                                   {"fp8_e4m3", 1, true},
                                                   {"fp8_e5m2", 1, true},
                                                   {"fp8_e3m4", 1, true},
                                                   {"int8", 1, false},
                                                   {"int16", 2, false},
                                                   {"uint16", 2, false},
                                                   {"fp8_e4m3fn", 1, true}}};

const DTypeRow& row_of(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

constexpr std::uint32_t kTf32Ignored = 0x1FFFU, kFp32Quiet = 0x00400000U;

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

// A double holds every value of the integer types, so the clamp is exact.
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
  // Adding just under half an ulp plus the last kept bit rounds ties to even. The carry propagates
  // into the exponent.
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

std::uint16_t fp16_from_fp32(float value) { return static_cast<std::uint16_t>(encode_small<Fp16>(value)); }
float fp32_from_fp16(std::uint16_t bits) { return decode_small<Fp16>(bits); }

std::uint32_t tf32_from_fp32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return (bits | kFp32Quiet) & ~kTf32Ignored;
  return (bits + (kTf32Ignored >> 1) + ((bits >> 13) & 1U)) & ~kTf32Ignored;
}

float fp32_from_tf32(std::uint32_t bits) {
  const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  return std::bit_cast<float>((nan ? bits | kFp32Quiet : bits) & ~kTf32Ignored);
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
    case DType::kTf32:
      return fp32_from_tf32(read<std::uint32_t>(at));
    case DType::kFp8E4M3:
      return decode_small<Fp8E4M3>(read<std::uint8_t>(at));
    case DType::kFp8E5M2:
      return decode_small<Fp8E5M2>(read<std::uint8_t>(at));
    case DType::kFp8E3M4:
      return decode_small<Fp8E3M4>(read<std::uint8_t>(at));
    case DType::kInt8:
      return static_cast<float>(read<std::int8_t>(at));
    case DType::kInt16:
      return static_cast<float>(read<std::int16_t>(at));
    case DType::kUint16:
      return static_cast<float>(read<std::uint16_t>(at));
    case DType::kFp8E4M3Fn:
      return decode_e4m3fn(read<std::uint8_t>(at));
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
    case DType::kTf32:
      return write(at, tf32_from_fp32(value));
    case DType::kFp8E4M3:
      return write(at, static_cast<std::uint8_t>(encode_small<Fp8E4M3>(value)));
    case DType::kFp8E5M2:
      return write(at, static_cast<std::uint8_t>(encode_small<Fp8E5M2>(value)));
    case DType::kFp8E3M4:
      return write(at, static_cast<std::uint8_t>(encode_small<Fp8E3M4>(value)));
    case DType::kInt8:
      return write(at, saturate<std::int8_t>(value));
    case DType::kInt16:
      return write(at, saturate<std::int16_t>(value));
    case DType::kUint16:
      return write(at, saturate<std::uint16_t>(value));
    case DType::kFp8E4M3Fn:
      return write(at, static_cast<std::uint8_t>(encode_e4m3fn(value)));
  }
}

}  // namespace tahoma::isa
