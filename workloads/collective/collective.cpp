// SPDX-License-Identifier: Apache-2.0
#include "workloads/collective/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "model/base/error.h"
#include "runtime/collective/assembly.h"
#include "runtime/collective/choice.h"
#include "workloads/collective/sizes.h"
#include "workloads/collective/values.h"

namespace tahoma::workloads {

namespace {

using namespace runtime::collective;
using runtime::Machine;

constexpr std::uint64_t kTokenBytes = 64;  // of a barrier, per rank

struct ReductionName {
  const char* name;
  isa::AluOp op;
};
constexpr std::array<ReductionName, 3> kReductions{
    {{"sum", isa::AluOp::kAdd}, {"min", isa::AluOp::kMin}, {"max", isa::AluOp::kMax}}};

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < isa::kDTypeCount; ++d)
    names.emplace_back(isa::name_of(static_cast<isa::DType>(d)));
  return names;
}

std::vector<std::string> reduction_names() {
  std::vector<std::string> names;
  for (const ReductionName& r : kReductions) names.emplace_back(r.name);
  return names;
}

class Collective final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    t.add("operation", operation_, std::string("all_reduce"), operation_names(), "what is performed",
          base::chosen());
    t.add("algorithm", algorithm_, std::string("best"), {},
          "auto (by message size, as published), best (by closed forms), or an algorithm's name",
          base::chosen());
    t.add("dtype", dtype_, std::string("bf16"), dtype_names(), "element type", base::chosen());
    t.add("reduction", reduction_, std::string("sum"), reduction_names(), "of operations that reduce",
          base::chosen());
    t.add("bytes", bytes_, std::string("1 MiB"), {},
          "size of the operation: one, a list, or '8 KiB .. 1 GiB' in steps of 2", base::chosen());
    t.add("ranks", ranks_, std::string("chips"), rank_kinds(), "what a rank is", base::chosen());
    t.add("over", over_, std::string("machine"), {},
          "machine, servers, chips, or lists of ranks: 0-3|4-7 are two groups that work at once",
          base::chosen());
    t.add("root", root_, std::uint64_t{0}, {0, 65535}, "of broadcast, reduce, gather and scatter",
          base::chosen());
    t.add("shift", shift_, std::uint64_t{1}, {0, 65535},
          "permute: rank r sends to rank r + shift, modulo the ranks", base::chosen());
    t.add("counts", counts_, std::string(), {},
          "all_to_all: elements from rank to rank, '1,2;3,4' or random; empty: all alike", base::chosen());
    t.add("channels", channels_, std::uint64_t{0}, {0, 4096},
          "collective queues that a rank uses; 0: all of them", base::chosen());
    t.add("piece", piece_, base::Bytes{0}, {base::Bytes{0}, base::Bytes{std::uint64_t{1} << 32}},
          "bytes of a chunk and channel that go through the rounds at a time; 0: chosen", base::chosen());
    t.add("iterations", iterations_, std::uint64_t{1}, {1, 1000}, "how often each size is run",
          base::chosen());
    t.add("values", values_, std::string("whole"), {"whole", "uniform"},
          "inputs: whole numbers whose sums are exact, or uniform in [-1, 1)", base::chosen());
  }

  void check(const model::MachineParams& machine) const override {
    sizes_of(bytes_);
    for (const Group& group : groups_of(machine, ranks_, over_)) {
      const Problem problem = problem_of(group);
      if (root_ >= group.ranks())
        throw base::UserError("E-COL-032", "workload.root",
                              fmt::format("there is no rank {}; expected below {}", root_, group.ranks()));
      if (!counts_.empty() && operation() != Operation::kAllToAll)
        throw base::UserError("E-COL-031", "workload.counts",
                              fmt::format("only all_to_all has counts; this is {}", operation_));
      if (!counts_.empty()) counts_of(counts_, group.ranks(), 1, 1);
      choose(algorithm_, problem, group.grid, sizes_of(bytes_).front(), channels_of(group),
             CostModel(machine, group));
    }
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    inputs_ = {seed, values_ == "uniform"};
    assembly_.emplace(machine, groups_of(machine.params(), ranks_, over_));
    for (const std::uint64_t bytes : sizes())
      for (std::uint64_t i = 0; i < iterations_; ++i) {
        if (!runs_.empty()) assembly_->barrier();
        for (std::size_t g = 0; g < assembly_->groups().size(); ++g) add(machine, g, bytes);
      }
    assembly_->load(stopwatch_);
    machine.observe(&stopwatch_);
    if (!machine.functional()) return;
    for (std::size_t i = 0; i < runs_.size(); ++i) fill_inputs(machine, runs_[i].placed, inputs_, i);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    runtime::GoldenResult all;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      Run& run = runs_[i];
      const runtime::GoldenResult one =
          check_outputs(machine, assembly_->groups()[run.group], run.placed, inputs_, i);
      run.correct = one.passed;
      if (i == 0 || (all.passed && !one.passed)) {
        const auto before = all;
        all = one;
        all.elements += before.elements;
      } else {
        all.elements += one.elements;
        all.mismatches += one.mismatches;
        all.max_abs_error = std::max(all.max_abs_error, one.max_abs_error);
        all.max_rel_error = std::max(all.max_rel_error, one.max_rel_error);
      }
    }
    return all;
  }

  std::vector<runtime::NamedValues> outputs(Machine&) override { return {}; }
  std::vector<runtime::CollectiveResult> collectives(Machine& machine, const base::RunMeasurement&) override {
    std::vector<runtime::CollectiveResult> results;
    for (const Run& run : runs_) results.push_back(result_of(machine.params(), run));
    return results;
  }

  double useful_flops() const override { return 0; }
  isa::DType compute_dtype() const override {
    const isa::DType dtype = element();
    return isa::is_float(dtype) ? dtype : isa::DType::kFp32;
  }

  std::uint32_t cores_used() const override {
    std::size_t cores = 0;
    for (const Group& group : assembly_->groups())
      for (const auto& of_rank : group.cores) cores += of_rank.size();
    return static_cast<std::uint32_t>(cores);
  }

  std::string describe() const override {
    return fmt::format("{} {} {}, {} over {}, algorithm {}", operation_, bytes_, dtype_, ranks_, over_,
                       algorithm_);
  }

 private:
  struct Run {
    std::size_t group;
    std::uint64_t bytes;
    std::string why;
    Placed placed;
    std::optional<bool> correct;
  };

  Operation operation() const { return *operation_from_name(operation_); }
  isa::DType element() const { return *isa::dtype_from_name(dtype_); }
  std::vector<std::uint64_t> sizes() const {
    return operation() == Operation::kBarrier ? std::vector<std::uint64_t>{kTokenBytes} : sizes_of(bytes_);
  }

  std::uint32_t channels_of(const Group& group) const {
    const auto queues = static_cast<std::uint32_t>(2 * group.cores.front().size());
    return channels_ == 0 ? queues : std::min(static_cast<std::uint32_t>(channels_), queues);
  }

  Problem problem_of(const Group& group) const {
    Problem problem{operation(), group.ranks(), static_cast<std::uint32_t>(root_), {}};
    for (std::uint32_t r = 0; r < group.ranks(); ++r) {
      if (operation() == Operation::kPermute)
        problem.to.push_back(static_cast<std::uint32_t>((r + shift_) % group.ranks()));
      if (operation() == Operation::kSendRecv)
        problem.to.push_back(r % 2 == 0 && r + 1 < group.ranks() ? r + 1 : kNowhere);
    }
    return problem;
  }

  // Elements of the whole vector as the schedule sees it (runtime/collective/operation.h).
  std::uint64_t elements_of(const Problem& problem, std::uint64_t bytes) const {
    const std::uint64_t elements = std::max<std::uint64_t>(1, bytes / isa::size_of(element()));
    const bool a_vector_each =
        problem.operation == Operation::kAllToAll || problem.operation == Operation::kSendRecv ||
        problem.operation == Operation::kPermute || problem.operation == Operation::kBarrier;
    return a_vector_each ? elements * problem.ranks : elements;
  }

  void add(Machine& machine, std::size_t g, std::uint64_t bytes) {
    const Group& group = assembly_->groups()[g];
    Spec spec;
    spec.problem = problem_of(group);
    const Choice choice = choose(algorithm_, spec.problem, group.grid, bytes, channels_of(group),
                                 CostModel(machine.params(), group));
    spec.algorithm = choice.algorithm;
    spec.dtype = element();
    spec.op = std::find_if(kReductions.begin(), kReductions.end(), [&](const ReductionName& r) {
                return r.name == reduction_;
              })->op;
    spec.elements = elements_of(spec.problem, bytes);
    spec.channels = static_cast<std::uint32_t>(channels_);
    spec.piece_bytes = piece_.count;
    if (!counts_.empty())
      spec.counts =
          counts_of(counts_, group.ranks(), spec.elements / group.ranks() / group.ranks(), inputs_.seed);
    runs_.push_back({g, bytes, choice.why, assembly_->add(g, spec), {}});
  }

  runtime::CollectiveResult result_of(const model::MachineParams& machine, const Run& run) const {
    const Group& group = assembly_->groups()[run.group];
    const Problem& problem = run.placed.spec.problem;
    runtime::CollectiveResult result;
    result.operation = operation_;
    result.name = fmt::format("{} of {} B", operation_, run.bytes);
    if (assembly_->groups().size() > 1) result.name += " by " + group.name;
    if (problem.reduces()) result.combiner = reduction_;
    result.algorithm = run.placed.spec.algorithm->name;
    result.why = run.why;
    result.group = fmt::format("{} {} of {}", group.ranks(), ranks_, group.name);
    result.bytes = run.bytes;
    result.dtype = element();
    result.bus_factor = bus_factor(problem.operation, problem.ranks);
    for (const auto& spans : run.placed.spans) {
      runtime::RankTimes times{stopwatch_.begin(spans.front()), stopwatch_.end(spans.front())};
      for (const Stopwatch::Span& span : spans) {
        times.start = std::min(times.start, stopwatch_.begin(span));
        times.end = std::max(times.end, stopwatch_.end(span));
      }
      result.ranks.push_back(times);
    }
    const CostModel model(machine, group);
    const Cost cost = model.of(run.placed.plan, run.bytes);
    const auto duration = [](double seconds) { return base::Duration{std::llround(seconds * 1e15)}; };
    result.split = runtime::split_time(result.ranks, {cost.rounds, duration(model.empty_round()),
                                                      duration(cost.link), duration(cost.more_sources)});
    result.correct = run.correct;
    return result;
  }

  std::string operation_, algorithm_, dtype_, reduction_, bytes_, ranks_, over_, counts_, values_;
  std::uint64_t root_ = 0, shift_ = 0, channels_ = 0, iterations_ = 1;
  base::Bytes piece_{0};
  Values inputs_;
  std::optional<Assembly> assembly_;
  std::vector<Run> runs_;
  Stopwatch stopwatch_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_collective() { return std::make_unique<Collective>(); }

}  // namespace tahoma::workloads
