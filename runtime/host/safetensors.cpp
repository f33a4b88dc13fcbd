// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/text_file.h"

namespace tahoma::runtime {

using base::UserError;
using Json = nlohmann::json;

namespace {

constexpr std::string_view kSuffix = ".safetensors";
constexpr std::uint64_t kMostHeader = 100'000'000;  // the published limit of the format

struct Type {
  std::string_view name;
  isa::DType dtype;
  bool is_float;
};
constexpr std::array kTypes{
    Type{"F32", isa::DType::kFp32, true},    Type{"BF16", isa::DType::kBf16, true},
    Type{"F16", isa::DType::kFp16, true},    Type{"F8_E5M2", isa::DType::kFp8E5M2, true},
    Type{"I32", isa::DType::kInt32, false},  Type{"I16", isa::DType::kInt16, false},
    Type{"I8", isa::DType::kInt8, false},    Type{"U32", isa::DType::kUint32, false},
    Type{"U16", isa::DType::kUint16, false}, Type{"U8", isa::DType::kUint8, false}};

struct InputPath {
  std::string file, tensor;
  std::string text() const { return file + "#" + tensor; }
};

InputPath input_path_of(const std::string& path, const std::string& input_name) {
  const std::size_t hash = path.find('#', path.find(kSuffix));
  if (hash == std::string::npos) return {path, input_name};
  return {path.substr(0, hash), path.substr(hash + 1)};
}

struct File {
  std::ifstream stream;
  Json header;
  std::uint64_t data_at = 0, data_bytes = 0;
};

File open(const std::string& path) {
  File file;
  errno = 0;
  file.stream.open(path, std::ios::binary | std::ios::ate);
  if (!file.stream || file.stream.tellg() < 0)
    throw UserError("E-STF-001", path, fmt::format("cannot read the file: {}", std::strerror(errno)));
  const auto size = static_cast<std::uint64_t>(file.stream.tellg());
  std::array<unsigned char, 8> length{};
  file.stream.seekg(0);
  std::string begin(64, '\0');
  file.stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.stream.gcount()));
  if (const std::string format = known_format(begin);
      !format.empty() && (begin.size() <= length.size() || begin[length.size()] != '{'))
    throw UserError("E-STF-002", path, "not a .safetensors file, but " + format);
  file.stream.clear();
  file.stream.seekg(0);
  file.stream.read(reinterpret_cast<char*>(length.data()), length.size());
  std::uint64_t header = 0;
  for (std::size_t i = 0; i < length.size(); ++i) header |= std::uint64_t{length[i]} << (8 * i);
  if (size < length.size() || header > std::min(kMostHeader, size - length.size()))
    throw UserError("E-STF-002", path,
                    fmt::format("expected a header of at most {} bytes, got a length of {}",
                                std::min(kMostHeader, size), header));
  std::string text(header, '\0');
  file.stream.read(text.data(), static_cast<std::streamsize>(header));
  if (const auto fault = fault_of_json(text, file.header))
    throw UserError("E-STF-002", path, "expected a header that is a JSON object of tensors: " + *fault);
  if (!file.header.is_object())
    throw UserError("E-STF-002", path, "expected a header that is a JSON object of tensors");
  file.data_at = length.size() + header;
  file.data_bytes = size - file.data_at;
  return file;
}

const Json& entry_of(const File& file, const InputPath& place) {
  const auto entry = file.header.find(place.tensor);
  if (entry != file.header.end() && place.tensor != "__metadata__") return *entry;
  std::vector<std::string> names;
  for (const auto& item : file.header.items())
    if (item.key() != "__metadata__") names.push_back(item.key());
  throw UserError("E-STF-003", place.text(),
                  fmt::format("the file has no tensor '{}'{}; it contains {}", place.tensor,
                              base::did_you_mean(place.tensor, names), names.size()));
}

template <class T>
T field(const Json& entry, const char* name, const InputPath& place) {
  try {
    return entry.at(name).get<T>();
  } catch (const Json::exception&) {
    throw UserError("E-STF-002", place.text(), fmt::format("expected a legal '{}'", name));
  }
}

// Counts are whole numbers: JSON's reader would convert -1 and 2.5 to some.
std::vector<std::uint64_t> counts(const Json& entry, const char* name, const InputPath& place) {
  const Json list = field<Json>(entry, name, place);
  const bool whole = list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& count) {
                       return count.is_number_unsigned();
                     });
  if (!whole)
    throw UserError(
        "E-STF-002", place.text(),
        fmt::format("expected a legal '{}': a list of whole numbers, got {}", name, brief_json(list)));
  return list.get<std::vector<std::uint64_t>>();
}

const Type& type_of(const std::string& name, isa::DType wanted, const std::string& input,
                    const InputPath& place) {
  const bool wants_float = isa::is_float(wanted);
  std::string legal;
  for (const Type& type : kTypes) {
    if (type.is_float != wants_float || (!wants_float && type.dtype != wanted)) continue;
    if (type.name == name) return type;
    legal += (legal.empty() ? "" : ", ") + std::string(type.name);
  }
  throw UserError("E-STF-004", place.text(),
                  fmt::format("input {} is {}: expected element type {}, the file has {}", input,
                              isa::name_of(wanted), legal, name));
}

}  // namespace

bool names_safetensors(const std::string& path) {
  const std::size_t at = path.find(kSuffix);
  return at != std::string::npos && (at + kSuffix.size() == path.size() || path[at + kSuffix.size()] == '#');
}

std::vector<std::byte> converted(StoredTensor stored, isa::DType to) {
  if (stored.dtype == to) return std::move(stored.values);
  const std::size_t step = isa::size_of(stored.dtype), n = stored.values.size() / step;
  std::vector<std::byte> result(n * isa::size_of(to));
  for (std::size_t i = 0; i < n; ++i)
    isa::store_from_fp32(result.data() + i * isa::size_of(to), to,
                         isa::load_as_fp32(stored.values.data() + i * step, stored.dtype));
  return result;
}

std::vector<std::byte> read_safetensors(const std::string& path, const std::string& input_name,
                                        isa::DType dtype, const std::vector<std::uint64_t>& shape) {
  return converted(read_stored(path, input_name, dtype, shape), dtype);
}

StoredTensor read_stored(const std::string& path, const std::string& input_name, isa::DType dtype,
                         const std::vector<std::uint64_t>& shape) {
  const InputPath place = input_path_of(path, input_name);
  File file = open(place.file);
  const Json& entry = entry_of(file, place);
  const auto type_name = field<std::string>(entry, "dtype", place);
  const Type& type = type_of(type_name, dtype, input_name, place);
  const auto has = counts(entry, "shape", place);
  if (has != shape)
    throw UserError("E-STF-005", place.text(),
                    fmt::format("input {} must have shape {}, the file has {}", input_name, shape, has));
  const auto offsets = counts(entry, "data_offsets", place);
  std::uint64_t bytes = isa::size_of(type.dtype);
  for (const std::uint64_t extent : shape) bytes *= extent;
  if (offsets.size() != 2)
    throw UserError("E-STF-002", place.text(), "expected a legal 'data_offsets': two numbers");
  if (offsets[0] > offsets[1] || offsets[1] - offsets[0] != bytes || offsets[1] > file.data_bytes)
    throw UserError(
        "E-STF-006", place.text(),
        fmt::format("expected {} bytes within the {} bytes of data, the header gives the range {} to {}",
                    bytes, file.data_bytes, offsets[0], offsets[1]));
  std::vector<std::byte> values(bytes);
  file.stream.seekg(static_cast<std::streamoff>(file.data_at + offsets[0]));
  file.stream.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes));
  return {type.dtype, std::move(values)};
}

}  // namespace tahoma::runtime
