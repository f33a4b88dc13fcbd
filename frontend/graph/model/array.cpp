// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/model/array.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "model/base/error.h"
#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads::graph {

namespace {

using isa::DType;
constexpr std::array kElementRows{
    ElementRow{ElementType::kFloat, "float", 4, DType::kFp32, true},
    ElementRow{ElementType::kUint8, "uint8", 1, DType::kUint8, false},
    ElementRow{ElementType::kInt8, "int8", 1, DType::kInt8, false},
    ElementRow{ElementType::kUint16, "uint16", 2, DType::kUint16, false},
    ElementRow{ElementType::kInt16, "int16", 2, DType::kInt16, false},
    ElementRow{ElementType::kInt32, "int32", 4, DType::kInt32, false},
    ElementRow{ElementType::kInt64, "int64", 8, DType::kInt32, false},
    ElementRow{ElementType::kBool, "bool", 1, DType::kUint8, false},
    ElementRow{ElementType::kFloat16, "float16", 2, DType::kFp16, true},
    ElementRow{ElementType::kDouble, "double", 8, DType::kFp32, true},
    ElementRow{ElementType::kUint32, "uint32", 4, DType::kUint32, false},
    ElementRow{ElementType::kUint64, "uint64", 8, DType::kUint32, false},
    ElementRow{ElementType::kBfloat16, "bfloat16", 2, DType::kBf16, true},
    ElementRow{ElementType::kFloat8E4M3Fn, "float8e4m3fn", 1, DType::kFp8E4M3Fn, true},
    ElementRow{ElementType::kFloat8E5M2, "float8e5m2", 1, DType::kFp8E5M2, true},
};

template <class T>
double load_as(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

struct IntegerRange {
  double low, high;
};
IntegerRange range_of(ElementType type) {
  const double bits = 8.0 * element_row(type).bytes;
  switch (type) {
    case ElementType::kInt8:
    case ElementType::kInt16:
    case ElementType::kInt32:
    case ElementType::kInt64:
      return {-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
    default:
      return {0, std::exp2(bits) - 1};
  }
}

}  // namespace

const ElementRow* element_row(std::int32_t number) {
  const auto row = std::find_if(kElementRows.begin(), kElementRows.end(), [&](const ElementRow& r) {
    return static_cast<std::int32_t>(r.type) == number;
  });
  return row == kElementRows.end() ? nullptr : &*row;
}

const ElementRow& element_row(ElementType type) {
  const ElementRow* row = element_row(static_cast<std::int32_t>(type));
  TAHOMA_INVARIANT(row != nullptr, "a tensor of a graph has an unknown element type");
  return *row;
}

std::uint64_t elements_of(const Dims& dims) {
  std::uint64_t count = 1;
  for (const std::int64_t dim : dims)
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(dim), &count)) return UINT64_MAX;
  return count;
}

std::vector<std::int64_t> row_major_strides(const Dims& dims) {
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

std::string text_of(const Dims& dims) {
  std::string text;
  for (const std::int64_t dim : dims) text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text.empty() ? "scalar" : text;
}

std::string text_of(const TensorType& type) {
  return std::string(name_of(type.element)) + " " + text_of(type.dims);
}

std::int64_t Array::integer(std::size_t index) const {
  const double value = values.at(index);
  if (value >= 0x1p62) return INT64_MAX;
  if (value <= -0x1p62) return INT64_MIN;
  return static_cast<std::int64_t>(value);
}

std::vector<std::int64_t> Array::integers() const {
  std::vector<std::int64_t> all(values.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = integer(i);
  return all;
}

double rounded(double value, ElementType type) {
  if (type == ElementType::kDouble) return value;
  if (type == ElementType::kBool) return value != 0 ? 1 : 0;
  if (is_floating(type)) return runtime::round_to(value, element_row(type).stored);
  if (std::isnan(value)) return 0;
  const IntegerRange range = range_of(type);
  return std::clamp(std::trunc(value), range.low, range.high);
}

double load_element(const char* at, ElementType type) {
  switch (type) {
    case ElementType::kDouble:
      return load_as<double>(at);
    case ElementType::kInt64:
      return load_as<std::int64_t>(at);
    case ElementType::kUint64:
      return load_as<std::uint64_t>(at);
    case ElementType::kInt32:
      return load_as<std::int32_t>(at);
    case ElementType::kUint32:
      return load_as<std::uint32_t>(at);
    default:
      return isa::load_as_fp32(reinterpret_cast<const std::byte*>(at), element_row(type).stored);
  }
}

}  // namespace tahoma::workloads::graph
