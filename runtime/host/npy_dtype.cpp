// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/npy_dtype.h"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace tahoma::runtime {

namespace {

constexpr std::string_view kFp32Type = "<f4";

struct Row {
  isa::DType dtype;
  std::string_view own;  // the element type with the same numbers; empty if NumPy has none
  std::array<std::string_view, 2> raw;
  bool rounds_fp32;  // may be read from kFp32Type and rounded
};

constexpr std::array<std::string_view, 2> kNone{}, kRaw16{"<u2", "|V2"}, kRaw8{"|u1", "|V1"};
constexpr std::array<Row, isa::kDTypeCount> kRows{{{isa::DType::kFp32, kFp32Type, kNone, false},
                                                   {isa::DType::kBf16, "", kRaw16, true},
                                                   {isa::DType::kFp16, "<f2", kNone, true},
                                                   {isa::DType::kInt32, "<i4", kNone, false},
                                                   {isa::DType::kUint32, "<u4", kNone, false},
                                                   {isa::DType::kUint8, "|u1", kNone, false},
                                                   {isa::DType::kTf32, "", kNone, true},
                                                   {isa::DType::kFp8E4M3, "", kRaw8, true},
                                                   {isa::DType::kFp8E5M2, "", kRaw8, true},
                                                   {isa::DType::kFp8E3M4, "", kRaw8, true},
                                                   {isa::DType::kInt8, "|i1", kNone, false},
                                                   {isa::DType::kInt16, "<i2", kNone, false},
                                                   {isa::DType::kUint16, "<u2", kNone, false},
                                                   {isa::DType::kFp8E4M3Fn, "", kRaw8, true}}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].dtype) != i) return false;
  return true;
}
static_assert(in_order());

const Row& row_of(isa::DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::vector<std::string> npy_types_of(isa::DType dtype) {
  const Row& row = row_of(dtype);
  std::vector<std::string> types;
  for (const std::string_view type : {row.own, row.raw[0], row.raw[1]})
    if (!type.empty()) types.emplace_back(type);
  if (row.rounds_fp32) types.emplace_back(kFp32Type);
  return types;
}

std::vector<std::byte> from_npy(NpyArray array, isa::DType dtype) {
  if (!row_of(dtype).rounds_fp32 || array.descr != kFp32Type) return std::move(array.bytes);
  const std::size_t size = isa::size_of(dtype), n = array.bytes.size() / sizeof(float);
  std::vector<std::byte> values(n * size);
  for (std::size_t i = 0; i < n; ++i) {
    float value = 0;
    std::memcpy(&value, array.bytes.data() + i * sizeof value, sizeof value);
    isa::store_from_fp32(values.data() + i * size, dtype, value);
  }
  return values;
}

NpyArray to_npy(isa::DType dtype, const std::vector<std::uint64_t>& shape,
                const std::vector<std::byte>& values) {
  if (const std::string_view own = row_of(dtype).own; !own.empty()) {
    return {std::string(own), shape, values};
  }
  const std::size_t size = isa::size_of(dtype), n = values.size() / size;
  NpyArray widened{std::string(kFp32Type), shape, std::vector<std::byte>(n * sizeof(float))};
  for (std::size_t i = 0; i < n; ++i) {
    const float value = isa::load_as_fp32(values.data() + i * size, dtype);
    std::memcpy(widened.bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return widened;
}

}  // namespace tahoma::runtime
