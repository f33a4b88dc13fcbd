// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "isa/binary/container.h"
#include "isa/core/program_error.h"
#include "isa/table/table_fields.h"
#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime::nki {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_bundle(const std::string& path, const std::string& text) {
  throw base::UserError("E-NKI-040", path, text);
}

std::string text_of(const Json& entry, const char* key) {
  return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : "";
}

std::string binary_text(const Json& value) {
  const Json::binary_t& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

Json binary_of(const std::string& bytes) { return Json::binary({bytes.begin(), bytes.end()}); }

BundleTensor tensor_of(const Json& entry, const std::string& folder) {
  BundleTensor tensor;
  tensor.name = entry.at("name").get<std::string>();
  const std::string dtype = entry.at("dtype").get<std::string>();
  const auto known = isa::dtype_from_name(dtype);
  if (!known)
    refuse_bundle(folder, fmt::format("tensor '{}' has the unknown dtype '{}'", tensor.name, dtype));
  tensor.dtype = *known;
  tensor.shape = entry.at("shape").get<std::vector<std::uint64_t>>();
  tensor.core = entry.value("core", 0U);
  tensor.input = entry.value("input", false);
  tensor.output = entry.value("output", false);
  tensor.rtol = entry.value("rtol", 0.0);
  tensor.atol = entry.value("atol", 0.0);
  if (const std::string file = text_of(entry, "file"); !file.empty()) tensor.file = folder + "/" + file;
  if (entry.contains("values")) tensor.values = binary_text(entry["values"]);
  if (const std::string file = text_of(entry, "expect"); !file.empty()) tensor.expect = folder + "/" + file;
  return tensor;
}

BundleProgram program_of(const Json& entry, const std::string& folder, std::size_t tensors) {
  BundleProgram program;
  const bool kept = entry.contains("program");
  const std::string path = kept ? folder : folder + "/" + entry.at("file").get<std::string>();
  const std::string bytes = kept ? binary_text(entry["program"]) : read_file(path);
  try {
    program.program = isa::from_bytes(std::as_bytes(std::span(bytes)));
  } catch (const isa::ProgramError& e) {
    throw isa::ProgramError(e.code, path + ": " + e.place, e.message);
  }
  program.core = entry.at("core").get<std::uint32_t>();
  for (const Json& held : entry.at("arguments")) {
    if (held.is_object())
      program.arguments.push_back({true, held.at("core").get<std::uint64_t>()});
    else
      program.arguments.push_back({false, held.get<std::uint64_t>()});
    const BundleProgram::Argument& argument = program.arguments.back();
    if (!argument.is_core && argument.number >= tensors)
      refuse_bundle(path, fmt::format("argument {} is tensor {}; the bundle has {}",
                                      program.arguments.size() - 1, argument.number, tensors));
  }
  if (program.arguments.size() != program.program.args.size())
    refuse_bundle(path, fmt::format("{} arguments for a program that has {}", program.arguments.size(),
                                    program.program.args.size()));
  return program;
}

}  // namespace

Bundle read_bundle(const std::string& path) {
  const bool kept = std::filesystem::is_regular_file(path);
  const std::string file = kept ? path : path + "/bundle.json";
  try {
    Json json;
    if (kept)
      json = Json::from_cbor(read_file(file));
    else if (const auto fault = fault_of_json(read_file(file), json))
      refuse_bundle(file, "is not a bundle: " + *fault);
    Bundle bundle;
    bundle.kernel = json.at("kernel").get<std::string>();
    for (const Json& entry : json.at("tensors")) bundle.tensors.push_back(tensor_of(entry, path));
    for (const Json& entry : json.at("programs"))
      bundle.programs.push_back(program_of(entry, path, bundle.tensors.size()));
    if (bundle.programs.empty()) refuse_bundle(file, "has no programs");
    return bundle;
  } catch (const Json::exception& e) {
    refuse_bundle(file, fmt::format("is not a bundle: {}", e.what()));
  }
}

std::string kept_bundle(const std::string& folder) {
  Json json = Json::parse(read_file(folder + "/bundle.json"));
  for (Json& entry : json.at("programs")) {
    entry["program"] = binary_of(read_file(folder + "/" + entry.at("file").get<std::string>()));
    entry.erase("file");
  }
  for (Json& entry : json.at("tensors")) {
    const std::string file = text_of(entry, "file");
    const auto dtype = isa::dtype_from_name(entry.at("dtype").get<std::string>());
    if (!file.empty() && dtype && !isa::is_float(*dtype))
      entry["values"] = binary_of(read_file(folder + "/" + file));
    entry.erase("file");
    entry.erase("expect");
  }
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

void add_matmuls(ArrayWorks& works, const isa::Program& program) {
  for (const isa::Instruction& i : program.stream(isa::Queue::kTensor)) {
    if (!isa::multiplies(i)) continue;
    const isa::DType dtype = i.src0.dtype;
    const isa::MatmulMode mode = isa::mode_of(i);
    auto work = std::find_if(works.begin(), works.end(),
                             [&](const ArrayWork& w) { return w.dtype == dtype && w.mode == mode; });
    if (work == works.end()) work = works.insert(works.end(), {dtype, mode, 0});
    work->flops += 2.0 * i.shape.partitions * isa::row_of(mode).slices * i.columns *
                   static_cast<double>(isa::moving_columns(i));
  }
}

}  // namespace tahoma::runtime::nki
