// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/workload/nki_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "frontend/nki/bundle/bundle.h"
#include "frontend/nki/bundle/tracing.h"
#include "frontend/nki/lower/policies.h"
#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "model/base/quantity.h"
#include "model/system/machine/machine_params.h"
#include "runtime/golden/golden_rule.h"
#include "runtime/host/text/whole_file.h"
#include "runtime/run/inputs.h"

namespace tahoma::workloads {

namespace {

using runtime::GoldenResult;
using runtime::Machine;
using runtime::Tensor;
using runtime::nki::Bundle;
using runtime::nki::BundleProgram;
using runtime::nki::BundleTensor;
using runtime::nki::TemporaryFolder;

// The paths in "x=x.npy; n=5".
std::string map_call_paths(const std::string& text, const base::PathMap& map) {
  const auto trimmed = [](const std::string& piece) { return std::string(base::trimmed(piece)); };
  std::string mapped;
  std::istringstream in(text);
  for (std::string piece; std::getline(in, piece, ';');) {
    const std::size_t equals = piece.find('=');
    const std::string value = equals == std::string::npos ? "" : trimmed(piece.substr(equals + 1));
    if (value.ends_with(".npy")) piece = trimmed(piece.substr(0, equals)) + "=" + map(value);
    mapped += (mapped.empty() ? "" : "; ") + trimmed(piece);
  }
  return mapped;
}

// The parameters as a machine's file.
std::string yaml_of(const model::MachineParams& values) {
  base::ParamTree tree("machine");
  model::MachineParams machine;
  machine.declare(tree);  // sets the defaults
  machine = values;
  return base::to_yaml(tree, "machine");
}

// Not a KernelCase: the kernel declares the tensors, and a function of the user's defines the outputs.
class NkiKernel final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    t.add_files("bundle", folder_,
                "a traced kernel, instead of `kernel`: a folder, or the file that a run keeps",
                base::chosen());
    t.add_files("kernel", request_.kernel, "the kernel, FILE.py:FUNCTION", base::chosen());
    t.add_files("args", request_.args, "arguments by name: FILE.npy, an expression or a literal; ...",
                base::chosen(), map_call_paths);
    t.add("grid", request_.grid, std::uint64_t{0}, {0, 2}, "physical cores of a logical core; 0: none given",
          base::chosen());
    t.add_files("reference", request_.reference,
                "the golden definition, FILE.py:FUNCTION, on the same arguments", base::chosen());
    t.add("rtol", request_.rtol, 0.0, {0.0, 1e6},
          "relative to the largest expected element of an output; 0: from the dtype", base::chosen());
    t.add("atol", request_.atol, 0.0, {0.0, 1e6}, "absolute tolerance of an output's elements",
          base::chosen());
    for (const runtime::nki::Policy& policy : runtime::nki::policies())
      t.add(policy.name, policy.choice(options_), policy.doc, base::chosen());
  }

  void check(const model::MachineParams& machine) const override {
    if (folder_.empty() == request_.kernel.empty())
      throw base::UserError("E-NKI-043", "workload",
                            "expected either a kernel (FILE.py:FUNCTION) or a bundle");
    if (request_.grid == 2 && machine.chip.lnc != 2)
      throw base::UserError(
          "E-NKI-043", "workload.grid",
          fmt::format("2 physical cores with machine.chip.lnc = {}; expected lnc = 2", machine.chip.lnc));
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    std::optional<TemporaryFolder> traced;
    std::string folder = folder_;
    if (folder.empty()) {
      traced.emplace();
      folder = traced->path();
      request_.seed = seed;
      request_.values = machine.functional();
      request_.machine = yaml_of(machine.params());
      for (const runtime::nki::Policy& policy : runtime::nki::policies())
        request_.policies[policy.name] = policy.choice(options_).name();
      runtime::nki::trace_into(folder, request_);
    }
    bundle_ = runtime::nki::read_bundle(folder);
    kept_ = {std::filesystem::is_regular_file(folder) ? runtime::read_file(folder)
                                                      : runtime::nki::kept_bundle(folder),
             folder_};
    for (const BundleTensor& t : bundle_.tensors)
      placed_.push_back(machine.allocate(t.core, t.name, t.dtype, t.shape));
    for (BundleProgram& p : bundle_.programs) {
      runtime::nki::add_matmuls(works_, p.program);
      std::vector<std::uint64_t> addresses;
      for (const BundleProgram::Argument& a : p.arguments)
        addresses.push_back(a.is_core ? a.number : placed_.at(a.number).address);
      machine.load(p.core, std::make_shared<const isa::Program>(std::move(p.program)), addresses);
    }
    fill(machine);
    read_expected(machine);
  }

  GoldenResult verify(Machine& machine) override {
    GoldenResult all;
    all.rule = "not checked: the kernel has no reference";
    for (std::size_t t = 0; t < bundle_.tensors.size(); ++t) {
      if (!expected_[t].empty()) all.add(compare(machine, t));
    }
    return all;
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    std::vector<runtime::NamedValues> values;
    for (std::size_t t = 0; t < placed_.size(); ++t) {
      if (!bundle_.tensors[t].output) continue;
      std::vector<std::byte> bytes(placed_[t].bytes());
      machine.read(placed_[t], bytes);
      values.push_back({placed_[t].name, placed_[t].dtype, placed_[t].shape, std::move(bytes)});
    }
    return values;
  }

  runtime::KeptKernel kept_kernel() const override { return kept_; }
  double useful_flops() const override {
    double flops = 0;
    for (const runtime::ArrayWork& work : works_) flops += work.flops;
    return flops;
  }
  runtime::ArrayWorks array_works() const override { return works_; }
  std::uint32_t cores_used() const override {
    return static_cast<std::uint32_t>(std::max<std::size_t>(1, bundle_.programs.size()));
  }
  std::string describe() const override {
    return fmt::format(
        "nki {}{}", bundle_.kernel,
        bundle_.programs.size() > 1 ? fmt::format(" on {} cores", bundle_.programs.size()) : "");
  }

 private:
  void fill(Machine& machine) {
    for (std::size_t t = 0; t < placed_.size(); ++t) {
      const BundleTensor& tensor = bundle_.tensors[t];
      if (tensor.input) machine.declare_input(placed_[t]);
      if (!machine.has_values(placed_[t])) continue;
      if (tensor.file.empty() && tensor.values.empty()) {
        if (tensor.input && machine.functional())
          throw base::UserError(
              "E-NKI-044", folder_,
              fmt::format("has no values of '{}': expected timing mode (--mode timing)", tensor.name));
        continue;
      }
      const std::string bytes = tensor.values.empty() ? runtime::read_file(tensor.file) : tensor.values;
      if (bytes.size() != placed_[t].bytes())
        throw base::UserError("E-NKI-040", tensor.file,
                              fmt::format("has {} bytes; expected {}", bytes.size(), placed_[t].bytes()));
      runtime::note_file(std::as_bytes(std::span(bytes)), tensor.dtype);
      machine.write(placed_[t], std::as_bytes(std::span(bytes)));
    }
  }

  void read_expected(Machine& machine) {
    expected_.resize(placed_.size());
    for (std::size_t t = 0; t < placed_.size(); ++t) {
      const std::string& file = bundle_.tensors[t].expect;
      if (file.empty() || !machine.functional()) continue;
      const std::string bytes = runtime::read_file(file);
      runtime::note_file(std::as_bytes(std::span(bytes)), isa::DType::kFp32);
      expected_[t].resize(bytes.size() / sizeof(float));
      std::memcpy(expected_[t].data(), bytes.data(), expected_[t].size() * sizeof(float));
      if (expected_[t].size() != placed_[t].elements())
        throw base::UserError(
            "E-NKI-040", file,
            fmt::format("has {} elements; expected {}", expected_[t].size(), placed_[t].elements()));
    }
  }

  GoldenResult compare(Machine& machine, std::size_t t) const {
    const BundleTensor& tensor = bundle_.tensors[t];
    const std::vector<float>& want = expected_[t];
    std::vector<std::byte> bytes(placed_[t].bytes());
    machine.read(placed_[t], bytes);
    double largest = 0;
    for (const float w : want)
      if (std::isfinite(w)) largest = std::max(largest, double{std::abs(w)});
    GoldenResult result;
    result.tolerance = tensor.rtol;
    result.rule = fmt::format("|got - want| <= {:g} + {:g} * max |want| of '{}'", tensor.atol, tensor.rtol,
                              tensor.name);
    const double allowed = tensor.atol + tensor.rtol * largest;
    const std::size_t size = isa::size_of(tensor.dtype);
    for (std::size_t e = 0; e < want.size(); ++e) {
      const double got = isa::load_as_fp32(&bytes[e * size], tensor.dtype),
                   error = runtime::error_between(got, want[e]);
      ++result.elements;
      result.max_abs_error = std::max(result.max_abs_error, error);
      if (largest > 0) result.max_rel_error = std::max(result.max_rel_error, error / largest);
      if (error <= allowed) continue;
      if (result.mismatches++ == 0)
        result.first_mismatch =
            fmt::format("{} element {}: got {}, expected {}", tensor.name, e, got, want[e]);
    }
    return result;
  }

  std::string folder_;
  runtime::KeptKernel kept_;
  runtime::nki::TracingRequest request_;
  runtime::nki::LoweringOptions options_;
  Bundle bundle_;
  std::vector<Tensor> placed_;
  std::vector<std::vector<float>> expected_;  // by tensor; empty: not checked
  runtime::ArrayWorks works_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_nki() { return std::make_unique<NkiKernel>(); }

}  // namespace tahoma::workloads
