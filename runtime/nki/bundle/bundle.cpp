// SPDX-License-Identifier: Apache-2.0
#include "runtime/nki/bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/core/program_error.h"
#include "isa/table/table_fields.h"
#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/whole_file.h"

namespace tahoma::runtime::nki {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_bundle(const std::string& path, const std::string& text) {
  throw base::UserError("E-NKI-040", path, text);
}

std::string text_of(const Json& entry, const char* key) {
  return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : "";
}

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
  if (const std::string file = text_of(entry, "expect"); !file.empty()) tensor.expect = folder + "/" + file;
  return tensor;
}

BundleProgram program_of(const Json& entry, const std::string& folder, std::size_t tensors) {
  BundleProgram program;
  const std::string path = folder + "/" + entry.at("file").get<std::string>();
  const std::string bytes = read_file(path);
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

Bundle read_bundle(const std::string& folder) {
  const std::string path = folder + "/bundle.json";
  try {
    Json json;
    if (const auto fault = fault_of_json(read_file(path), json))
      refuse_bundle(path, "is not a bundle: " + *fault);
    Bundle bundle;
    bundle.kernel = json.at("kernel").get<std::string>();
    for (const Json& entry : json.at("tensors")) bundle.tensors.push_back(tensor_of(entry, folder));
    for (const Json& entry : json.at("programs"))
      bundle.programs.push_back(program_of(entry, folder, bundle.tensors.size()));
    if (bundle.programs.empty()) refuse_bundle(path, "has no programs");
    return bundle;
  } catch (const Json::exception& e) {
    refuse_bundle(path, fmt::format("is not a bundle: {}", e.what()));
  }
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
