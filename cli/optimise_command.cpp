// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options/whole_numbers.h"
#include "frontend/nki/bundle/tracing.h"
#include "runtime/host/process.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

// The Python package tahoma.optimise searches; it checks what the words mean.
struct OptimiseCommand {
  std::string spec, out = "out", sampler = "tpe", known;
  std::vector<std::string> objectives, constraints, weights;
  std::uint64_t trials = 100, seed = 1, jobs = 1;
};

std::vector<std::string> words_of(const OptimiseCommand& command) {
  std::vector<std::string> words{command.spec,
                                 "--out=" + command.out,
                                 "--sampler=" + command.sampler,
                                 fmt::format("--trials={}", command.trials),
                                 fmt::format("--seed={}", command.seed),
                                 fmt::format("--jobs={}", command.jobs),
                                 "--tahoma=" + std::filesystem::read_symlink(kThisProgram).string()};
  for (const std::string& each : command.objectives) words.push_back("--minimise=" + each);
  for (const std::string& each : command.constraints) words.push_back("--subject-to=" + each);
  for (const std::string& each : command.weights) words.push_back("--weight=" + each);
  if (!command.known.empty()) words.push_back("--known=" + command.known);
  return words;
}

ExitStatus optimise(const OptimiseCommand& command) {
  const ProcessEnd end = Process(nki::python_words("tahoma.optimise", words_of(command))).wait().end;
  if (end.reason != ProcessEnd::Reason::kExited)
    throw base::UserError("E-ORA-002", "optimise", fmt::format("the Python package {}", end.text()),
                          ExitStatus::kHost);
  return static_cast<ExitStatus>(end.number);
}

}  // namespace

void add_optimise_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<OptimiseCommand>();
  sub.add_option("SPEC", command->spec, "YAML file with the key 'sweep'; it may have several workloads")
      ->required()
      ->type_name("");
  sub.add_option(
         "--minimise", command->objectives,
         "A metric, or an expression over metrics and parameters; max:METRIC maximises; repeatable, for a "
         "Pareto front. Of several workloads it is their weighted mean, or with worst(METRIC) the worst")
      ->required()
      ->type_name("METRIC")
      ->allow_extra_args(false);
  sub.add_option("--subject-to", command->constraints,
                 "A limit of points, such as 'area.die_mm2 <= 700', 'worst(energy.chip_watts) <= 500' or "
                 "'area.chip_dollars <= 3000', in base units; also with >=; repeatable")
      ->type_name("EXPR<=NUMBER")
      ->allow_extra_args(false);
  sub.add_option("--weight", command->weights,
                 "Weight of a workload in means; NAME is its file without folder and .yaml; default: 1; "
                 "repeatable")
      ->type_name("NAME=W")
      ->allow_extra_args(false);
  sub.add_option("--trials", command->trials,
                 "Different points to evaluate, with those of an earlier search in --out")
      ->type_name("N")
      ->check(whole_numbers(1), "")
      ->capture_default_str();
  add_choice(sub, "--sampler", command->sampler, {"tpe", "nsga2"}, "Sampler of Optuna");
  sub.add_option("--seed", command->seed, "Seed of the sampler")
      ->type_name("S")
      ->check(whole_numbers(0, std::uint64_t{1} << 31), "")
      ->capture_default_str();
  sub.add_option("--out", command->out,
                 "Folder for the results: front.csv, front.svg, front.pdf, study.db, points/; the same "
                 "command resumes a search there")
      ->type_name("DIR");
  sub.add_option("--jobs", command->jobs, "Points that run at the same time")
      ->type_name("N")
      ->check(whole_numbers(1, kMostJobs), "")
      ->capture_default_str();
  sub.add_option("--known", command->known, "Folder of a finished sweep, whose points are not run again")
      ->type_name("DIR")
      ->default_str("none");
  sub.callback([command, &action] { action = [command] { return optimise(*command); }; });
}

}  // namespace tahoma::runtime
