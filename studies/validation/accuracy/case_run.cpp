// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/case_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/core/program_error.h"
#include "model/base/quantity.h"
#include "runtime/config/config.h"
#include "runtime/host/json/json_text.h"
#include "runtime/run/machine.h"
#include "studies/validation/accuracy/activity_log.h"

namespace tahoma::runtime {

using base::ExitStatus, base::UserError;

namespace {

// The results that a probe is evaluated on.
struct Finished {
  ActivityLog log;
  base::Duration elapsed;
  double useful_flops = 0;
  std::vector<CollectiveResult> collectives;
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
  machine.observe(static_cast<base::Observer*>(&finished.log));
  machine.observe(static_cast<base::ProbeObserver*>(&finished.log));
  const base::RunMeasurement measurement = machine.run();
  finished.elapsed = measurement.elapsed;
  finished.collectives = config->workload->collectives(machine, measurement);
  finished.useful_flops = config->workload->useful_flops();
}

double in_unit(double femtoseconds, FigureUnit unit) {
  return femtoseconds * (unit == FigureUnit::kUs ? 1e-9 : 1e-6);
}

// Operations, bytes or elements in the figure's unit.
double rate_of(const Figure& figure, const Finished& run) {
  const auto* interval = std::get_if<Interval>(&figure.probe);
  double seconds = run.elapsed.seconds();
  if (interval != nullptr)
    seconds = (run.log.when(interval->to) - run.log.when(interval->from)).seconds() /
              static_cast<double>(interval->count);
  return figure.peak->work / seconds * (figure.unit == FigureUnit::kTflops ? 1e-12 : 1e-9);
}

double figure_value(const Figure& figure, const Finished& run) {
  if (figure.peak) return rate_of(figure, run);
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
    const double value = figure_value(figure, run);
    if (!figure.peak) return {value, "", ExitStatus::kOk, {}};
    return {value, "", ExitStatus::kOk, {{"percent_of_peak", 100 * value / figure.reference}}};
  } catch (const UserError& error) {
    return {0, error.what(), error.status, {}};
  }
}

std::vector<Measured> evaluate_all(const CaseRun& run) {
  Finished finished;
  simulate(run, finished);
  std::vector<Measured> measured;
  for (const Figure& figure : run.figures) measured.push_back(evaluate(figure, finished));
  return measured;
}

Measured run_fabric_of(const Figure& figure, const CaseRun& run) {
  const model::MachineParams machine = resolve_machine_params(run.machine, run.overrides);
  if (machine.link.local.ideal)
    throw UserError("E-ACC-016", figure.case_place,
                    fmt::format("machine '{}' gives no rate between router and chip, which paces traffic: "
                                "expected a machine.link.local that is not ideal",
                                figure.case_name));
  const model::FabricResult r = model::run_fabric_traffic(machine, *figure.fabric);
  const double value = figure.unit == FigureUnit::kOfPeak ? 100 * r.accepted : r.latency;
  return {value, "", ExitStatus::kOk, {{"accepted", r.accepted}, {"links", r.links}, {"longest", r.longest}}};
}

Measured run_collective_of(const Figure& figure, const CaseRun& run) {
  Finished finished;
  simulate(run, finished);
  if (finished.collectives.empty())
    throw UserError(
        "E-ACC-012", figure.case_place,
        fmt::format("'{}' has run no collective: expected a workload that does", figure.case_name),
        ExitStatus::kCheckFailed);
  const CollectiveResult& c = finished.collectives.back();
  const double microseconds = static_cast<double>((c.time() + figure.collective->launch).fs) * 1e-9;
  return {microseconds,
          "",
          ExitStatus::kOk,
          {{"collective_us", static_cast<double>(c.time().fs) * 1e-9},
           {"launch_us", static_cast<double>(figure.collective->launch.fs) * 1e-9},
           {"bus_gigabytes_per_second", c.bus_bandwidth() * 1e-9}}};
}

Measured run_traffic_of(const Figure& figure, const CaseRun& run) {
  const model::HbmParams hbm = resolve_machine_params(run.machine, run.overrides).chip.hbm;
  if (hbm.model != model::HbmModel::kDram || hbm.bandwidth.ideal)
    throw UserError(
        "E-ACC-016", figure.case_place,
        fmt::format("machine '{}' has no DRAM: expected machine.chip.hbm.model dram, and a bandwidth "
                    "that is not ideal",
                    figure.case_name));
  if (figure.traffic->request > hbm.capacity)
    throw UserError(
        "E-ACC-015", figure.place,
        fmt::format("a request of {} is larger than a stack of machine '{}', {}",
                    base::to_text(figure.traffic->request), figure.case_name, base::to_text(hbm.capacity)));
  const model::TrafficResult r = model::run_traffic(hbm, *figure.traffic);
  std::vector<Beside> beside{{"gigabytes_per_second", r.bytes_per_second * 1e-9},
                             {"row_hit_percent", 100 * r.row_hits},
                             {"lost_refresh_percent", 100 * r.lost_refresh},
                             {"lost_turnaround_percent", 100 * r.lost_turnaround},
                             {"lost_bank_percent", 100 * r.lost_bank}};
  if (r.reads.count > 0)
    beside.insert(beside.end(), {{"read_mean_ns", r.reads.mean.ns()},
                                 {"read_p50_ns", r.reads.p50.ns()},
                                 {"read_p90_ns", r.reads.p90.ns()},
                                 {"read_p99_ns", r.reads.p99.ns()}});
  return {100 * r.of_peak, "", ExitStatus::kOk, std::move(beside)};
}

std::vector<Measured> all_failed(const CaseRun& run, const std::string& reason, ExitStatus status) {
  return std::vector<Measured>(run.figures.size(), {0, reason, status, {}});
}

}  // namespace

std::vector<Measured> run_case(const CaseRun& run) {
  try {
    if (run.figures.front().traffic) return {run_traffic_of(run.figures.front(), run)};
    if (run.figures.front().fabric) return {run_fabric_of(run.figures.front(), run)};
    if (run.figures.front().collective) return {run_collective_of(run.figures.front(), run)};
    return evaluate_all(run);
  } catch (const UserError& error) {
    return all_failed(run, error.what(), error.status);
  } catch (const isa::ProgramError& error) {
    return all_failed(run, error.what(), ExitStatus::kProgram);
  } catch (const std::bad_alloc&) {
    return all_failed(run, "the host has no memory left", ExitStatus::kHost);
  } catch (const std::exception& error) {
    return all_failed(run, error.what(), ExitStatus::kInvariant);
  }
}

std::string to_text(const std::vector<Measured>& measured) {
  nlohmann::json json = nlohmann::json::array();
  for (const Measured& m : measured) {
    nlohmann::json beside = nlohmann::json::array();
    for (const Beside& b : m.beside) beside.push_back({b.name, b.value});
    json.push_back({m.model, m.failure, static_cast<int>(m.status), std::move(beside)});
  }
  return dump_json(json);
}

std::vector<Measured> measured_from(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  std::vector<Measured> measured;
  if (!json.is_array()) return measured;
  for (const auto& m : json) {
    measured.push_back(
        {m.at(0).get<double>(), m.at(1).get<std::string>(), static_cast<ExitStatus>(m.at(2).get<int>()), {}});
    for (const auto& b : m.at(3))
      measured.back().beside.push_back({b.at(0).get<std::string>(), b.at(1).get<double>()});
  }
  return measured;
}

}  // namespace tahoma::runtime
