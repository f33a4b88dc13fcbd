// SPDX-License-Identifier: Apache-2.0
// Tensors of a graph: their types, and values on the host. Values are doubles, which hold every element type
// exactly but integers beyond 2^53; those saturate where an operator uses them as sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/dtype.h"

namespace tahoma::workloads::graph {

using Dims = std::vector<std::int64_t>;

// By their numbers in ONNX's TensorProto.DataType.
enum class ElementType : std::uint8_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBfloat16 = 16,
  kFloat8E4M3Fn = 17,
  kFloat8E5M2 = 19
};

struct ElementRow {
  ElementType type;
  std::string_view name;  // in messages, as in ONNX
  unsigned bytes;         // of an element in files
  isa::DType stored;      // in HBM: 64-bit types become 32-bit ones, bool becomes uint8
  bool floating;
};
// Null for a number without a row: strings, complex numbers, types of later versions.
const ElementRow* element_row(std::int32_t number);
const ElementRow& element_row(ElementType type);
inline std::string_view name_of(ElementType type) { return element_row(type).name; }
inline bool is_floating(ElementType type) { return element_row(type).floating; }

std::uint64_t elements_of(const Dims& dims);
std::vector<std::int64_t> row_major_strides(const Dims& dims);
std::string text_of(const Dims& dims);  // "2x3x224x224"; "scalar"

struct TensorType {
  ElementType element = ElementType::kUndefined;
  Dims dims;
  std::uint64_t elements() const { return elements_of(dims); }
  friend bool operator==(const TensorType&, const TensorType&) = default;
};
std::string text_of(const TensorType& type);  // "float 2x3"

// A dense row-major tensor.
struct Array {
  TensorType type;
  std::vector<double> values;
  std::int64_t integer(std::size_t index) const;  // saturated
  std::vector<std::int64_t> integers() const;
};

// Values that are read or computed when somebody needs them: timing mode needs no weights.
using LazyArray = std::function<Array()>;

// The value as an element of that type holds it.
double rounded(double value, ElementType type);

// One element of a file.
double load_element(const char* at, ElementType type);

}  // namespace tahoma::workloads::graph
