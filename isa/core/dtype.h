// SPDX-License-Identifier: Apache-2.0
// Element types of tiles and tensors, and exact conversions between them and fp32, the engines' internal
// format. Elements are little-endian in memory. 4-bit and 64-bit types are not supported.
//
//   name       bytes  sign, exponent, mantissa bits; bias   largest finite   smallest normal, subnormal step
//   fp32         4    1, 8, 23; 127                         2^128 - 2^104    2^-126, 2^-149
//   tf32         4    1, 8, 10; 127                         2^128 - 2^117    2^-126, 2^-136
//   bf16         2    1, 8,  7; 127                         2^128 - 2^120    2^-126, 2^-133
//   fp16         2    1, 5, 10;  15                         65504            2^-14,  2^-24
//   fp8_e5m2     1    1, 5,  2;  15                         57344            2^-14,  2^-16
//   fp8_e4m3     1    1, 4,  3;   7                         240              2^-6,   2^-9
//   fp8_e3m4     1    1, 3,  4;   3                         15.5             2^-2,   2^-6
//   fp8_e4m3fn   1    1, 4,  3;   7                         448              2^-6,   2^-9
//   int8, int16, int32   two's complement;  uint8, uint16, uint32
//
// e5m2, e4m3 and e3m4 are IEEE-like: the largest exponent means infinity and NaN, as on NeuronCore-v3.
// e4m3fn, of NeuronCore-v4, is E4M3 of the OCP's 8-bit floating point specification: it has no infinity, and
// the NaNs are the two patterns with all bits below the sign set. Numbers that round beyond 448 become NaNs
// (the specification's mode without saturation; assumed, nothing is published for conversions outside
// quantize_mx).
//
// Conversion to a narrower float rounds the fp32 value once, to nearest, ties to even. Subnormals are kept,
// values that round beyond the largest finite number become infinity, and -0 stays -0. A NaN stays a quiet
// NaN: its sign and the upper payload bits that fit the type are kept, and the quiet bit (the top mantissa
// bit) is set. isa/core/rounding.h defines stochastic rounding. Conversion from a float is exact. NaNs become
// quiet, except that fp32 and bf16 pass their bits unchanged.
//
// tf32 is stored as an fp32 whose low 13 bits have no meaning: they are written as zeros and ignored when
// loaded. NaN detection uses all 32 bits: exponent 255 with any mantissa bit set, ignored ones included,
// loads as a quiet NaN and never as infinity.
//
// Integers: fp32 rounds to nearest, ties to even, and saturates; NaN becomes 0. 8- and 16-bit integers load
// exactly; int32 and uint32 values beyond 2^24 round to nearest, ties to even, when they pass through fp32.
// Paths that avoid fp32 keep all 32 bits: copies between equal dtypes (tensor_copy, transpose, DMA) and iota,
// which is exact in 64 bits and then saturates.
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
  kUint16,
  kFp8E4M3Fn
};
inline constexpr std::size_t kDTypeCount = 14;

std::size_t size_of(DType dtype);                             // bytes per element
std::string_view name_of(DType dtype);                        // "fp32", "fp8_e4m3", ...
std::optional<DType> dtype_from_name(std::string_view name);  // exact, lower case
bool is_float(DType dtype);

std::uint16_t bf16_from_fp32(float value);
std::uint16_t fp16_from_fp32(float value);
float fp32_from_fp16(std::uint16_t bits);

inline float fp32_from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint32_t tf32_from_fp32(float value);
float fp32_from_tf32(std::uint32_t bits);

// Loads or stores one element of any type through fp32.
float load_as_fp32(const std::byte* at, DType dtype);
void store_from_fp32(std::byte* at, DType dtype, float value);

}  // namespace tahoma::isa
