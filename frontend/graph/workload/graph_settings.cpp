// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/workload/graph_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::workloads::graph {

namespace {

// "x=a; y=b"
std::map<std::string, std::string> assignments(const std::string& text, const char* key) {
  std::map<std::string, std::string> all;
  std::istringstream in(text);
  for (std::string piece; std::getline(in, piece, ';');) {
    const std::string trimmed(base::trimmed(piece));
    if (trimmed.empty()) continue;
    const std::size_t equals = trimmed.find('=');
    if (equals == std::string::npos || equals == 0)
      throw base::UserError("E-ONX-008", fmt::format("workload.{}", key),
                            fmt::format("'{}' is no NAME=VALUE", trimmed));
    all[std::string(base::trimmed(trimmed.substr(0, equals)))] = base::trimmed(trimmed.substr(equals + 1));
  }
  return all;
}

std::string map_input_paths(const std::string& text, const base::PathMap& map) {
  std::string mapped;
  for (const auto& [name, file] : assignments(text, "inputs"))
    mapped += (mapped.empty() ? "" : "; ") + name + "=" + map(file);
  return mapped;
}

}  // namespace

void GraphSettings::declare(base::ParamTree& t) {
  t.add_files("model", model_, "an ONNX file", base::chosen());
  t.add_files("inputs", inputs_, "files of inputs by name, NAME=FILE.npy; ...; others are from the seed",
              base::chosen(), map_input_paths);
  t.add("batch", batch_, std::uint64_t{0}, {0, std::uint64_t{1} << 20},
        "dimension 0 of every input; 0: as the file says", base::chosen());
  t.add("sizes", sizes_, "", {}, "sizes of dimensions that have names, NAME=N; ...", base::chosen());
  t.add("floats", floats_, FloatChoice::kModel, base::Choice<FloatChoice>(kFloatChoices),
        "type of all floating-point tensors; model: their own", base::chosen());
  t.add("fuse", fuse_, true, "nodes share kernels where values between them can stay on chip",
        base::chosen());
  t.add("reuse", reuse_, false,
        "tensors between nodes share HBM where their lives do not overlap; then only nodes whose tensors are "
        "left at the end are compared with their definitions",
        base::chosen());
  t.add("cores", cores_, std::uint64_t{1}, {1, 4096},
        "cores that share dimension 0 of every input; each runs the whole graph on its part", base::chosen());
  t.add("chips", chips_, std::uint64_t{0}, {0, 1024},
        "chips whose cores all share dimension 0 of every input; 0: as `cores` says", base::chosen());
}

std::uint64_t GraphSettings::cores(const model::MachineParams& machine) const {
  if (chips_ == 0) {
    if (cores_ > machine.cores())
      throw base::UserError("E-RUN-063", "workload.cores",
                            fmt::format("{} cores; the machine has {}", cores_, machine.cores()));
    return cores_;
  }
  if (cores_ > 1)
    throw base::UserError("E-ONX-008", "workload.chips",
                          fmt::format("{} chips and {} cores; expected one of them", chips_, cores_));
  const std::uint64_t each = machine.chip.cores, all = machine.cores() / each;
  if (chips_ > all)
    throw base::UserError("E-RUN-063", "workload.chips",
                          fmt::format("{} chips; the machine has {}", chips_, all));
  return chips_ * each;
}

CompileOptions GraphSettings::options(const model::MachineParams& machine) const {
  CompileOptions options;
  options.sizes.batch = static_cast<std::int64_t>(batch_);
  options.sizes.parts = static_cast<std::int64_t>(cores(machine));
  for (const auto& [name, text] : assignments(sizes_, "sizes")) {
    std::int64_t size = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || size < 0)
      throw base::UserError("E-ONX-008", "workload.sizes",
                            fmt::format("'{}' is no size of '{}'", text, name));
    options.sizes.named[name] = size;
  }
  if (floats_ == FloatChoice::kFp32) options.floats = isa::DType::kFp32;
  if (floats_ == FloatChoice::kBf16) options.floats = isa::DType::kBf16;
  if (floats_ == FloatChoice::kFp16) options.floats = isa::DType::kFp16;
  options.fusion = fuse_ ? Fusion::kOn : Fusion::kOff;
  return options;
}

std::map<std::string, std::string> GraphSettings::inputs() const { return assignments(inputs_, "inputs"); }

}  // namespace tahoma::workloads::graph
