// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/workload/stored_array.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads::graph {

namespace {

template <class T>
void put_integer(double value, std::byte* at) {
  const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const T held = std::isnan(value) ? T{0} : static_cast<T>(std::clamp(std::trunc(value), low, high));
  std::memcpy(at, &held, sizeof held);
}
template <class T>
double get_integer(const std::byte* at) {
  T held;
  std::memcpy(&held, at, sizeof held);
  return static_cast<double>(held);
}

void put_element(double value, isa::DType dtype, std::byte* at) {
  if (dtype == isa::DType::kInt32) return put_integer<std::int32_t>(value, at);
  if (dtype == isa::DType::kUint32) return put_integer<std::uint32_t>(value, at);
  if (isa::is_float(dtype)) value = runtime::round_to(value, dtype);
  isa::store_from_fp32(at, dtype, static_cast<float>(value));
}

double get_element(isa::DType dtype, const std::byte* at) {
  if (dtype == isa::DType::kInt32) return get_integer<std::int32_t>(at);
  if (dtype == isa::DType::kUint32) return get_integer<std::uint32_t>(at);
  return static_cast<double>(isa::load_as_fp32(at, dtype));
}

}  // namespace

void store_array(const Array& array, isa::DType dtype, std::byte* bytes) {
  const std::size_t size = isa::size_of(dtype);
  for (std::size_t i = 0; i < array.values.size(); ++i) put_element(array.values[i], dtype, bytes + i * size);
}

Array load_array(const TensorType& type, isa::DType dtype, const std::byte* bytes) {
  const std::size_t size = isa::size_of(dtype);
  Array array{type, std::vector<double>(type.elements())};
  for (std::size_t i = 0; i < array.values.size(); ++i)
    array.values[i] = get_element(dtype, bytes + i * size);
  return array;
}

}  // namespace tahoma::workloads::graph
