// SPDX-License-Identifier: Apache-2.0
#include "workloads/colocated/colocated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "model/base/error.h"
#include "runtime/config/config.h"
#include "runtime/run/core_selection.h"
#include "workloads/colocated/colocated_params.h"

namespace tahoma::workloads {
namespace {

using runtime::CollectiveResult, runtime::GoldenResult, runtime::Machine, runtime::MachinePart;

// From the first instruction to the last completion of a program's cores.
class ProgramSpan final : public base::Observer {
 public:
  void instruction(const base::InstructionActivity& activity) override {
    begin_ = std::min(begin_, activity.start);
    end_ = std::max({end_, activity.complete, activity.start + activity.busy});
  }
  void transfer(const base::TransferActivity& activity) override { end_ = std::max(end_, activity.end); }
  base::Time begin() const { return std::min(begin_, end_); }
  base::Time end() const { return end_; }

 private:
  base::Time begin_ = base::kNever, end_{0};
};

// A program of the case with what it is resolved to.
struct Program {
  const ProgramParams* params = nullptr;
  MachinePart part;
  std::unique_ptr<runtime::ResolvedConfig> config;
  std::unique_ptr<Machine> machine = nullptr;  // its part, when it is prepared
  std::unique_ptr<ProgramSpan> span = nullptr;

  runtime::Workload& workload() const { return *config->workload; }
};

std::vector<std::uint32_t> cores_of(const ProgramParams& program, const model::MachineParams& machine) {
  const std::string place = fmt::format("workload.programs.{}.cores", program.name);
  const std::vector<bool> selected =
      runtime::selected_cores(place.c_str(), listed(program.cores, ","), machine);
  std::vector<std::uint32_t> cores;
  for (std::uint32_t core = 0; core < selected.size(); ++core)
    if (selected[core]) cores.push_back(core);
  return cores;
}

Program resolved(const ProgramParams& params, const model::MachineParams& machine) {
  const std::string path = "workload.programs." + params.name;
  Program program{&params,
                  runtime::part_of_machine(machine, params.name, cores_of(params, machine), path + ".cores"),
                  nullptr};
  runtime::ConfigRequest request{};
  request.workload = params.file;
  request.overrides = listed(params.changes, ";");
  try {
    program.config = runtime::resolve_values(request);
    if (program.config->run.kind == "colocated")
      throw base::UserError("E-RUN-026", params.file, "expected another kind than colocated");
    program.config->workload->check(program.part.params);
  } catch (const base::UserError& error) {
    throw base::UserError(error.code, path + ".case", fmt::format("{}: {}", error.place, error.message),
                          error.status);
  }
  return program;
}

void refuse_shared_cores(const std::vector<Program>& programs) {
  std::map<std::uint32_t, const Program*> owners;
  for (const Program& program : programs)
    for (const std::uint32_t core : program.part.cores)
      if (const auto [known, added] = owners.try_emplace(core, &program); !added)
        throw base::UserError("E-RUN-026", fmt::format("workload.programs.{}.cores", program.params->name),
                              fmt::format("core {} is also one of '{}'; expected cores of its own", core,
                                          known->second->params->name));
}

class Colocated final : public runtime::Workload {
 public:
  void declare(base::ParamTree& tree) override { params_.declare(tree); }

  void check(const model::MachineParams& machine) const override {
    params_.check();
    programs_.clear();
    for (const auto& program : params_.programs)
      if (params_.only.empty() || params_.only == program->name)
        programs_.push_back(resolved(*program, machine));
    refuse_shared_cores(programs_);
  }

  void prepare(Machine& machine, std::uint64_t /*seed*/) override {
    for (Program& program : programs_) {
      program.machine = std::make_unique<Machine>(machine, program.part);
      program.span = std::make_unique<ProgramSpan>();
      program.machine->observe(program.span.get());
      program.workload().prepare(*program.machine, program.config->run.seed);
    }
    if (params_.only.empty())
      for (const Program& program : programs_) start(machine, program);
  }

  GoldenResult verify(Machine& /*machine*/) override {
    GoldenResult all;
    for (Program& program : programs_) {
      GoldenResult one = program.workload().verify(*program.machine);
      for (std::string* text : {&one.first_mismatch, &one.first_not_finite})
        if (!text->empty()) *text = fmt::format("{}: {}", program.params->name, *text);
      all.add(one);
    }
    return all;
  }

  std::vector<runtime::NamedValues> outputs(Machine& /*machine*/) override {
    std::vector<runtime::NamedValues> all;
    for (Program& program : programs_)
      for (runtime::NamedValues& output : program.workload().outputs(*program.machine)) {
        output.name = fmt::format("{}.{}", program.params->name, output.name);
        all.push_back(std::move(output));
      }
    return all;
  }

  std::vector<CollectiveResult> collectives(Machine& /*machine*/, const base::RunMeasurement& run) override {
    std::vector<CollectiveResult> all;
    for (Program& program : programs_)
      for (CollectiveResult& result : program.workload().collectives(*program.machine, own(program, run))) {
        result.name = fmt::format("{} of {}", result.name, program.params->name);
        for (runtime::RankTimes& rank : result.ranks) rank.core = program.part.cores[rank.core];
        all.push_back(std::move(result));
      }
    return all;
  }

  std::vector<runtime::WorkloadFigure> figures(Machine& /*machine*/,
                                               const base::RunMeasurement& run) override {
    std::vector<runtime::WorkloadFigure> all;
    for (Program& program : programs_)
      for (runtime::WorkloadFigure& figure :
           program.workload().figures(*program.machine, own(program, run))) {
        figure.key = fmt::format("{}_{}", program.params->name, figure.key);
        figure.text = fmt::format("{} ({})", figure.text, program.params->name);
        all.push_back(std::move(figure));
      }
    return all;
  }

  std::vector<runtime::ProgramTimes> programs() const override {
    std::vector<runtime::ProgramTimes> all;
    for (const Program& program : programs_)
      all.push_back({program.params->name, program.part.cores,
                     program.span ? program.span->begin() : base::Time{0},
                     program.span ? program.span->end() : base::Time{0}});
    return all;
  }

  double useful_flops() const override {
    double sum = 0;
    for (const Program& program : programs_) sum += program.workload().useful_flops();
    return sum;
  }
  bool states_flops() const override {
    return std::any_of(programs_.begin(), programs_.end(),
                       [](const Program& program) { return program.workload().states_flops(); });
  }
  runtime::ArrayWorks array_works() const override {
    runtime::ArrayWorks all;
    for (const Program& program : programs_) {
      const runtime::ArrayWorks works = program.workload().array_works();
      all.insert(all.end(), works.begin(), works.end());
    }
    return all;
  }
  std::uint32_t cores_used() const override {
    std::uint32_t sum = 0;
    for (const Program& program : programs_) sum += program.workload().cores_used();
    return sum;
  }

  std::string describe() const override {
    std::vector<std::string> parts;
    for (const Program& program : programs_)
      parts.push_back(fmt::format("{} ({}) on cores {}", program.params->name, program.workload().describe(),
                                  program.params->cores));
    return fmt::format("{} programs: {}", programs_.size(), fmt::join(parts, "; "));
  }

 private:
  void start(Machine& machine, const Program& program) const {
    model::ProgramStart start{.cores = {}, .at = program.params->start, .after = {}};
    for (const std::string& name : listed(program.params->after, ","))
      for (const Program& other : programs_)
        if (other.params->name == name) add_loaded(machine, other, start.after);
    if (start.at.fs == 0 && start.after.empty()) return;
    add_loaded(machine, program, start.cores);
    machine.start(start);
  }

  // The cores of a program that have instructions.
  static void add_loaded(const Machine& machine, const Program& program, std::vector<std::uint32_t>& cores) {
    for (const std::uint32_t core : program.part.cores)
      if (machine.programs().contains(core)) cores.push_back(core);
  }

  // The measurement of the run with the program's own time.
  static base::RunMeasurement own(const Program& program, const base::RunMeasurement& run) {
    base::RunMeasurement of_program = run;
    of_program.elapsed = program.span->end() - program.span->begin();
    return of_program;
  }

  ColocatedParams params_;
  mutable std::vector<Program> programs_;  // of the last check()
};

}  // namespace

std::unique_ptr<runtime::Workload> make_colocated() { return std::make_unique<Colocated>(); }

}  // namespace tahoma::workloads
