// SPDX-License-Identifier: Apache-2.0
#include "workloads/collective/collective.h"

#include <fmt/format.h>

#include <optional>

#include "runtime/collective/lowering/assembly.h"
#include "runtime/collective/result/collective_measure.h"
#include "workloads/collective/collective_request.h"
#include "workloads/collective/values.h"

namespace tahoma::workloads {

namespace {

using namespace runtime::collective;
using runtime::Machine;

// Not a KernelCase, because a run has many operations over groups of ranks, and the runtime builds their
// programs.
class Collective final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override { request_.declare(t); }
  void check(const model::MachineParams& machine) const override { request_.check(machine); }

  void prepare(Machine& machine, std::uint64_t seed) override {
    inputs_ = {seed, request_.values == ValueKind::kUniform};
    assembly_.emplace(machine, request_.groups(machine.params()));
    estimates_.emplace(machine.params());
    for (const std::uint64_t bytes : request_.sizes())
      for (std::uint64_t i = 0; i < request_.iterations; ++i) {
        if (!runs_.empty()) assembly_->barrier();
        for (std::size_t g = 0; g < assembly_->groups().size(); ++g) add(g, bytes);
      }
    assembly_->load(stopwatch_);
    machine.observe(&stopwatch_);
    if (!machine.functional()) return;
    for (std::size_t i = 0; i < runs_.size(); ++i) fill_inputs(machine, runs_[i].planned, inputs_, i);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    runtime::GoldenResult all;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      Run& run = runs_[i];
      const runtime::GoldenResult one =
          check_outputs(machine, assembly_->groups()[run.group], run.planned, inputs_, i);
      if (one.checked()) run.correct = one.passed();
      all.add(one);
    }
    if (!all.checked()) all.rule = "not checked: no rank receives a value";
    return all;
  }

  std::vector<runtime::NamedValues> outputs(Machine&) override { return {}; }
  std::vector<runtime::CollectiveResult> collectives(Machine&, const base::RunMeasurement&) override {
    std::vector<runtime::CollectiveResult> results;
    for (const Run& run : runs_) results.push_back(result_of(run));
    return results;
  }

  std::vector<runtime::MessageResult> messages(Machine& /*machine*/) override {
    std::vector<runtime::MessageResult> all;
    for (const Run& run : runs_)
      append(all,
             runtime::messages_of(run.planned.spec.problem, name_of_run(run), run.bytes, times_of_run(run)));
    return all;
  }

  double useful_flops() const override { return 0; }
  isa::DType compute_dtype() const override {
    const isa::DType dtype = request_.element();
    return isa::is_float(dtype) ? dtype : isa::DType::kFp32;
  }

  std::uint32_t cores_used() const override {
    std::size_t cores = 0;
    for (const Group& group : assembly_->groups())
      for (const auto& of_rank : group.cores) cores += of_rank.size();
    return static_cast<std::uint32_t>(cores);
  }

  std::string describe() const override {
    return fmt::format("{} {} {}, {} over {}, algorithm {}", name_of(request_.operation),
                       request_.lists_counts() ? "of counts in" : request_.bytes,
                       isa::name_of(request_.dtype), base::name_in(kRankKinds, request_.ranks), request_.over,
                       name_of(request_.algorithm));
  }

 private:
  struct Run {
    std::size_t group;
    std::uint64_t bytes;
    std::string why;
    PlannedCollective planned;
    std::optional<bool> correct;
  };

  void add(std::size_t g, std::uint64_t bytes) {
    const auto [spec, moved, why] =
        request_.collective(*estimates_, assembly_->groups()[g], bytes, inputs_.seed);
    runs_.push_back({g, moved, why, assembly_->add(g, spec), {}});
  }

  std::string name_of_run(const Run& run) const {
    std::string name = fmt::format("{} of {} B", name_of(request_.operation), run.bytes);
    if (assembly_->groups().size() > 1) name += " by " + assembly_->groups()[run.group].name;
    return name;
  }

  std::vector<runtime::RankTimes> times_of_run(const Run& run) const {
    std::vector<runtime::RankTimes> ranks;
    for (const auto& spans : run.planned.spans) ranks.push_back(times_of(stopwatch_, spans));
    return ranks;
  }

  runtime::CollectiveResult result_of(const Run& run) {
    const Group& group = assembly_->groups()[run.group];
    const Problem& problem = run.planned.spec.problem;
    runtime::CollectiveResult result =
        measured(*estimates_, group, run.planned, run.bytes, times_of_run(run));
    result.operation = name_of(request_.operation);
    result.name = name_of_run(run);
    if (problem.reduces()) result.combiner = base::name_in(kReductions, request_.reduction);
    result.why = run.why;
    result.group = fmt::format("{} {} of {}", group.ranks(),
                               base::name_in(runtime::collective::kRankKinds, request_.ranks), group.name);
    result.correct = run.correct;
    return result;
  }

  Request request_;
  Values inputs_;
  std::optional<Assembly> assembly_;
  std::optional<runtime::collective::Estimates> estimates_;
  std::vector<Run> runs_;
  Stopwatch stopwatch_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_collective() { return std::make_unique<Collective>(); }

}  // namespace tahoma::workloads
