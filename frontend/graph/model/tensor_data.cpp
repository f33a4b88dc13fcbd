// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/model/tensor_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "frontend/graph/model/read_model.h"
#include "model/base/error.h"

namespace tahoma::workloads::graph {

namespace {

[[noreturn]] void refuse_tensor(const char* code, const std::string& file, const wire::Tensor& tensor,
                                const std::string& text) {
  throw base::UserError(code, file, fmt::format("tensor '{}' {}", tensor.name(), text));
}

std::uint64_t number_entry(const wire::Tensor& tensor, const std::string& file, const std::string& key,
                           std::uint64_t otherwise) {
  for (const wire::Entry& entry : tensor.external_data()) {
    if (entry.key() != key) continue;
    std::uint64_t number = 0;
    const std::string& text = entry.value();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
      refuse_tensor("E-ONX-006", file, tensor,
                    fmt::format("has external data with {} '{}'; expected a whole number", key, text));
    return number;
  }
  return otherwise;
}

// The file of external data, which must be in the model's folder or below it, links followed.
std::filesystem::path external_file(const wire::Tensor& tensor, const std::string& file) {
  std::string location;
  for (const wire::Entry& entry : tensor.external_data())
    if (entry.key() == "location") location = entry.value();
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(std::filesystem::absolute(file).parent_path());
  std::error_code problem;
  const std::filesystem::path path = std::filesystem::weakly_canonical(folder / location, problem);
  const auto differs = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first;
  if (location.empty() || std::filesystem::path(location).is_absolute() || problem || differs != folder.end())
    refuse_tensor("E-ONX-006", file, tensor,
                  fmt::format("has external data at '{}'; expected a file in the model's folder", location));
  return path;
}

std::string external_bytes(const wire::Tensor& tensor, const std::string& file, std::uint64_t expected) {
  const std::filesystem::path path = external_file(tensor, file);
  const std::uint64_t offset = number_entry(tensor, file, "offset", 0),
                      length = number_entry(tensor, file, "length", expected);
  if (length != expected)
    refuse_tensor("E-ONX-006", file, tensor,
                  fmt::format("has {} bytes of external data; expected {}", length, expected));
  std::error_code problem;
  const std::uint64_t held =
      std::filesystem::is_regular_file(path, problem) ? std::filesystem::file_size(path, problem) : 0;
  if (problem || held < offset || held - offset < length)
    refuse_tensor("E-ONX-006", file, tensor,
                  fmt::format("has external data at bytes {} to {} of '{}', which has {}", offset,
                              offset + length, path.filename().string(), held));
  std::string bytes(length, '\0');
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(bytes.data(), static_cast<std::streamsize>(length));
  if (!in)
    refuse_tensor("E-ONX-006", file, tensor,
                  fmt::format("has external data in '{}', which cannot be read", path.filename().string()));
  return bytes;
}

template <class Field>
void take_field(Array& array, const Field& field) {
  array.values.assign(field.begin(), field.end());
}

// int32_data holds the bits of 16-bit and 8-bit floats.
void take_small(Array& array, const wire::Tensor& tensor) {
  const ElementType type = array.type.element;
  for (const std::int32_t held : tensor.int32_data())
    array.values.push_back(is_floating(type) ? load_element(reinterpret_cast<const char*>(&held), type)
                                             : static_cast<double>(held));
}

Array read_values(const wire::Tensor& tensor, const std::string& file) {
  Array array{type_of(tensor, file), {}};
  const ElementRow& row = element_row(array.type.element);
  const std::uint64_t expected = array.type.elements();
  const bool external = tensor.data_location() == 1;
  if (external || tensor.has_raw_data()) {
    const std::string outside = external ? external_bytes(tensor, file, expected * row.bytes) : "";
    const std::string& bytes = external ? outside : tensor.raw_data();
    if (bytes.size() != expected * row.bytes)
      refuse_tensor(
          "E-ONX-001", file, tensor,
          fmt::format("has {} bytes; {} takes {}", bytes.size(), text_of(array.type), expected * row.bytes));
    array.values.resize(expected);
    for (std::uint64_t i = 0; i < expected; ++i)
      array.values[i] = load_element(bytes.data() + i * row.bytes, array.type.element);
    return array;
  }
  switch (array.type.element) {
    case ElementType::kFloat:
      take_field(array, tensor.float_data());
      break;
    case ElementType::kDouble:
      take_field(array, tensor.double_data());
      break;
    case ElementType::kInt64:
      take_field(array, tensor.int64_data());
      break;
    case ElementType::kUint32:
    case ElementType::kUint64:
      take_field(array, tensor.uint64_data());
      break;
    default:
      take_small(array, tensor);
  }
  if (array.values.size() != expected)
    refuse_tensor(
        "E-ONX-001", file, tensor,
        fmt::format("has {} values; {} takes {}", array.values.size(), text_of(array.type), expected));
  return array;
}

}  // namespace

TensorType type_of(const wire::Tensor& tensor, const std::string& file) {
  const ElementRow* row = element_row(tensor.data_type());
  if (row == nullptr)
    refuse_tensor("E-ONX-009", file, tensor,
                  fmt::format("has element type {}, which is not supported", tensor.data_type()));
  TensorType type{row->type, {tensor.dims().begin(), tensor.dims().end()}};
  if (std::any_of(type.dims.begin(), type.dims.end(), [](std::int64_t dim) { return dim < 0; }))
    refuse_tensor("E-ONX-001", file, tensor, fmt::format("has shape {}", text_of(type.dims)));
  if (type.elements() > kMostElements)
    refuse_tensor("E-ONX-007", file, tensor,
                  fmt::format("has shape {}; expected at most 2^36 elements", text_of(type.dims)));
  return type;
}

LazyArray values_of(const wire::Tensor& tensor, const std::string& file, std::shared_ptr<const void> owner) {
  return [&tensor, file, owner = std::move(owner)] { return read_values(tensor, file); };
}

}  // namespace tahoma::workloads::graph
