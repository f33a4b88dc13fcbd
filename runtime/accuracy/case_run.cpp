// SPDX-License-Identifier: Apache-2.0
#include "runtime/accuracy/case_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/error.h"
#include "runtime/accuracy/activity_log.h"
#include "runtime/config.h"
#include "runtime/machine.h"

namespace tahoma::runtime {

using base::ExitStatus, base::UserError;

namespace {

// What a probe is evaluated on.
struct Finished {
  ActivityLog log;
  base::Duration elapsed;
  double useful_flops = 0;
};

void simulate(const CaseRun& run, Finished& finished) {
  ConfigRequest request;
  request.workload = run.path;
  request.machine = run.machine;
  request.overrides = run.overrides;
  request.mode = "timing";
  const std::unique_ptr<ResolvedConfig> config = resolve_config(request);
  Machine machine(config->machine, config->mode());
  config->workload->prepare(machine, config->run.seed);
  machine.seed(config->run.seed);
  machine.observe(&finished.log);
  finished.elapsed = machine.run().elapsed;
  finished.useful_flops = config->workload->useful_flops();
}

double in_unit(double femtoseconds, FigureUnit unit) {
  return femtoseconds * (unit == FigureUnit::kUs ? 1e-9 : 1e-6);
}

double value_of(const Figure& figure, const Finished& run) {
  if (const auto* interval = std::get_if<Interval>(&figure.probe)) {
    const base::Duration length = run.log.when(interval->to) - run.log.when(interval->from);
    return in_unit(static_cast<double>(length.fs) / static_cast<double>(interval->count), figure.unit);
  }
  if (std::get<Whole>(figure.probe) == Whole::kTime)
    return in_unit(static_cast<double>(run.elapsed.fs), figure.unit);
  return run.elapsed.fs > 0 ? run.useful_flops / run.elapsed.seconds() * 1e-12 : 0;
}

Measured evaluate(const Figure& figure, const Finished& run) {
  try {
    return {value_of(figure, run), "", ExitStatus::kOk};
  } catch (const UserError& error) {
    return {0, error.what(), error.status};
  }
}

std::vector<Measured> all_failed(const CaseRun& run, const std::string& reason, ExitStatus status) {
  return std::vector<Measured>(run.figures.size(), {0, reason, status});
}

}  // namespace

std::vector<Measured> run_case(const CaseRun& run) {
  Finished finished;
  try {
    simulate(run, finished);
  } catch (const UserError& error) {
    return all_failed(run, error.what(), error.status);
  } catch (const isa::ProgramError& error) {
    return all_failed(run, error.what(), ExitStatus::kProgram);
  } catch (const std::bad_alloc&) {
    return all_failed(run, "the host has no memory left", ExitStatus::kHost);
  } catch (const std::exception& error) {
    return all_failed(run, error.what(), ExitStatus::kInvariant);
  }
  std::vector<Measured> measured;
  for (const Figure& figure : run.figures) measured.push_back(evaluate(figure, finished));
  return measured;
}

std::string to_text(const std::vector<Measured>& measured) {
  nlohmann::json json = nlohmann::json::array();
  for (const Measured& m : measured) json.push_back({m.model, m.failure, static_cast<int>(m.status)});
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<Measured> measured_from(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  std::vector<Measured> measured;
  if (!json.is_array()) return measured;
  for (const auto& m : json)
    measured.push_back(
        {m.at(0).get<double>(), m.at(1).get<std::string>(), static_cast<ExitStatus>(m.at(2).get<int>())});
  return measured;
}

}  // namespace tahoma::runtime
