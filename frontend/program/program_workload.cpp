// SPDX-License-Identifier: Apache-2.0
#include "frontend/program/program_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "frontend/nki/bundle/bundle.h"
#include "frontend/program/arguments.h"
#include "isa/table/table.h"
#include "isa/text/assembler.h"
#include "model/base/error.h"
#include "runtime/host/text/format.h"
#include "runtime/run/inputs.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor;
using runtime::Machine;
using runtime::Tensor;

constexpr std::uint64_t kMostProgramBytes = std::uint64_t{64} << 20;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = file ? static_cast<std::int64_t>(file.tellg()) : -1;
  if (size < 0 || static_cast<std::uint64_t>(size) > kMostProgramBytes)
    throw base::UserError("E-RUN-062", "workload.file", fmt::format("cannot read the program '{}'", path));
  file.seekg(0);
  std::string text(static_cast<std::size_t>(size), '\0');
  file.read(text.data(), size);
  if (!file)
    throw base::UserError("E-RUN-062", "workload.file", fmt::format("cannot read the program '{}'", path));
  return text;
}

// Not a KernelCase, because the case declares the tensors and its files hold the expected values.
class AssemblerProgram final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    t.add_files("file", file_, "assembler text of the program", base::chosen());
    t.add("cores", cores_, std::uint64_t{1}, {1, std::uint64_t{1} << 20}, "cores that run it, from core 0",
          base::chosen());
    t.add_files("tensors", tensors_, "tensor of each argument: NAME DTYPE SHAPE seed|zero|FILE; ...",
                base::chosen(), map_argument_paths);
  }

  void check(const model::MachineParams& machine) const override {
    if (cores_ > machine.cores())
      throw base::UserError("E-RUN-063", "workload.cores",
                            fmt::format("{} cores, the machine has {}", cores_, machine.cores()));
    const auto specs = parse_arguments(tensors_);
    const bool peers = std::any_of(specs.begin(), specs.end(), [](const ArgumentSpec& s) {
      return s.kind == ArgumentSpec::Kind::kPeerTensor;
    });
    if (peers && (machine.chip.lnc != 2 || cores_ % 2 != 0))
      throw base::UserError(
          "E-RUN-064", "workload.tensors",
          fmt::format("a peer on {} cores with machine.chip.lnc = {}; expected pairs of cores, "
                      "lnc = 2",
                      cores_, machine.chip.lnc));
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    program_ = std::make_shared<const isa::Program>(isa::assemble_with_lines(read_text(file_), file_));
    specs_ = match_arguments(parse_arguments(tensors_), program_->args);
    allocate(machine);
    for (std::uint32_t core = 0; core < cores_; ++core) machine.load(core, program_, arguments(core));
    declare_inputs(machine);
    fill(machine, seed);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    runtime::GoldenResult result;
    result.rule = "bits equal to the expected files";
    for (const ArgumentSpec& s : specs_) result.tolerance = std::max(result.tolerance, s.within);
    if (result.tolerance > 0)
      result.rule = "relative error within what the case allows of the expected files";
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (specs_[i].expect.empty()) continue;
      const HostTensor want =
          runtime::load_input(specs_[i].expect, specs_[i].name, specs_[i].dtype, specs_[i].shape);
      for (std::uint32_t core = 0; core < cores_; ++core) compare(machine, i, core, want, result);
    }
    if (!result.checked()) result.rule = "not checked: no tensor of the case has a file of expected values";
    return result;
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    std::vector<runtime::NamedValues> values;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (specs_[i].kind != ArgumentSpec::Kind::kTensor) continue;
      for (std::uint32_t core = 0; core < cores_; ++core) {
        const Tensor& tensor = placed_[core][i];
        std::vector<std::byte> bytes(tensor.bytes());
        machine.read(tensor, bytes);
        const std::string name = cores_ == 1 ? tensor.name : fmt::format("{}.core{}", tensor.name, core);
        values.push_back({name, tensor.dtype, tensor.shape, std::move(bytes)});
      }
    }
    return values;
  }

  // The text states them for each core; otherwise the purpose of the program is unknown.
  double useful_flops() const override { return stated(&isa::Program::useful_flops); }
  bool states_flops() const override { return useful_flops() > 0; }
  // The shares of the matmuls determine the peak for the stated FLOPs.
  runtime::ArrayWorks array_works() const override {
    runtime::ArrayWorks works;
    if (states_flops()) runtime::nki::add_matmuls(works, *program_);
    return works;
  }
  std::vector<runtime::WorkloadFigure> figures(Machine&, const base::RunMeasurement& run) override {
    const double bytes = stated(&isa::Program::useful_bytes);
    if (bytes == 0) return {};
    const double rate = run.elapsed.fs > 0 ? bytes / (static_cast<double>(run.elapsed.fs) * 1e-15) : 0;
    std::vector<runtime::WorkloadFigure> figures{
        {"useful_bytes", bytes, runtime::si_text(bytes, "B"),
         "bytes to and from HBM that the program states (.bytes)"},
        {"useful_bytes_per_second", rate, runtime::si_text(rate, "B/s"),
         "these bytes over the time of the run"}};
    if (states_flops())
      figures.push_back({"useful_flops_per_byte", useful_flops() / bytes,
                         fmt::format("{:.4g}", useful_flops() / bytes), "stated FLOPs over stated bytes"});
    return figures;
  }
  std::uint32_t cores_used() const override { return static_cast<std::uint32_t>(cores_); }
  std::string describe() const override {
    return fmt::format("program {} on {} cores", std::filesystem::path(file_).filename().string(), cores_);
  }

 private:
  // Sums over all cores; 0 before prepare().
  double stated(std::uint64_t isa::Program::*work) const {
    return program_ ? static_cast<double>((*program_).*work) * static_cast<double>(cores_) : 0;
  }

  void allocate(Machine& machine) {
    placed_.assign(cores_, std::vector<Tensor>(specs_.size()));
    for (std::uint32_t core = 0; core < cores_; ++core)
      for (std::size_t i = 0; i < specs_.size(); ++i)
        if (specs_[i].kind == ArgumentSpec::Kind::kTensor)
          placed_[core][i] = machine.allocate(core, specs_[i].name, specs_[i].dtype, specs_[i].shape);
  }

  std::vector<std::uint64_t> arguments(std::uint32_t core) const {
    const auto next = static_cast<std::uint32_t>((core + 1) % cores_);
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      switch (specs_[i].kind) {
        case ArgumentSpec::Kind::kTensor:
          values.push_back(placed_[core][i].address);
          break;
        case ArgumentSpec::Kind::kCore:
          values.push_back(core);
          break;
        case ArgumentSpec::Kind::kNextCore:
          values.push_back(next);
          break;
        case ArgumentSpec::Kind::kNextTensor:
          values.push_back(placed_[next][index_of(specs_[i].target)].address);
          break;
        case ArgumentSpec::Kind::kPeerTensor:
          values.push_back(placed_[core ^ 1U][index_of(specs_[i].target)].address);
          break;
      }
    }
    return values;
  }

  std::size_t index_of(const std::string& name) const {
    const auto at =
        std::find_if(specs_.begin(), specs_.end(), [&](const ArgumentSpec& s) { return s.name == name; });
    return static_cast<std::size_t>(at - specs_.begin());
  }

  void declare_inputs(Machine& machine) const {
    for (const std::vector<Tensor>& tensors : placed_)
      for (std::size_t i = 0; i < specs_.size(); ++i)
        if (specs_[i].kind == ArgumentSpec::Kind::kTensor) machine.declare_input(tensors[i]);
  }

  // Every core gets the same values; in timing mode only control arguments get them. Memory is zero until
  // written, so `zero` writes nothing.
  void fill(Machine& machine, std::uint64_t seed) const {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const ArgumentSpec& s = specs_[i];
      if (s.kind != ArgumentSpec::Kind::kTensor || s.fill == "zero" || !machine.has_values(placed_[0][i]))
        continue;
      const HostTensor values =
          runtime::input(s.fill == "seed" ? "" : s.fill, s.name, s.dtype, s.shape, seed);
      for (std::uint32_t core = 0; core < cores_; ++core) machine.write(placed_[core][i], values.values);
    }
  }

  void compare(Machine& machine, std::size_t i, std::uint32_t core, const HostTensor& want,
               runtime::GoldenResult& result) const {
    HostTensor got = runtime::make_tensor(want.name, want.dtype, want.shape);
    machine.read(placed_[core][i], got.values);
    const std::size_t size = isa::size_of(want.dtype);
    for (std::uint64_t e = 0; e < want.elements(); ++e) {
      ++result.elements;
      if (std::memcmp(&got.values[e * size], &want.values[e * size], size) == 0) continue;
      const std::uint64_t row = e / want.columns(), column = e % want.columns();
      const double expected = want.at(row, column);
      const double error = std::abs(double{got.at(row, column)} - expected);
      result.max_abs_error = std::max(result.max_abs_error, error);
      if (expected != 0) result.max_rel_error = std::max(result.max_rel_error, error / std::abs(expected));
      if (error <= specs_[i].within * std::abs(expected)) continue;
      if (result.mismatches++ == 0)
        result.first_mismatch = fmt::format("{}[{}, {}] on core {}: got {}, expected {}", want.name, row,
                                            column, core, got.at(row, column), want.at(row, column));
    }
  }

  std::string file_, tensors_;
  std::uint64_t cores_ = 1;
  std::shared_ptr<const isa::Program> program_;
  std::vector<ArgumentSpec> specs_;
  std::vector<std::vector<Tensor>> placed_;  // per core, per argument
};

}  // namespace

std::unique_ptr<runtime::Workload> make_program() { return std::make_unique<AssemblerProgram>(); }

}  // namespace tahoma::workloads
