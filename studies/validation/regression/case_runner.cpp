// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/case_runner.h"

#include <fmt/format.h>

#include <new>
#include <nlohmann/json.hpp>

#include "isa/core/program_error.h"
#include "report/simulation/simulation.h"
#include "report/summary/summary_json.h"
#include "runtime/golden/golden_verdict.h"
#include "runtime/host/children.h"
#include "runtime/host/sha256.h"
#include "runtime/run/program_checks.h"

namespace tahoma::runtime {

using base::ExitStatus, base::UserError;
using PlainJson = nlohmann::json;

namespace {

std::string hash_of(const NamedValues& output) {
  return sha256_of({reinterpret_cast<const char*>(output.values.data()), output.values.size()});
}

// Throws if the values are wrong, or are required to be checked and were not. In timing mode there are none.
std::string require_values(const Simulated& run, bool functional, bool required) {
  if (!functional) return "";
  require_golden(run.golden, required);
  return run.golden.checked() ? "" : run.golden.rule;
}

CaseResult measure_case(const ConfigRequest& request, const CaseDemands& demands) {
  const std::unique_ptr<ResolvedConfig> config = resolve_config(request);
  SimulationOptions options;
  options.checks = demands.checks;
  options.outputs = config->mode() == model::Mode::kFunctional;
  const Simulated run = simulate(*config, options, nullptr);
  require_clean(run.checks, true);
  CaseResult result;
  result.unchecked = require_values(run, options.outputs, demands.golden);
  RunStatistics statistics = summary_statistics(summary_json(summary_of(*config, run)));
  for (const NamedValues& output : run.outputs) {
    statistics.push_back({hash_name(output.name), hash_of(output)});
    result.values.push_back(keep(output, demands.values));
  }
  result.statistics = joined(std::move(statistics), class_statistics(run.stats.stats(), demands.patterns));
  return result;
}

CaseResult failure_of(const std::string& why, ExitStatus status) {
  CaseResult result;
  result.failure = why;
  result.status = status;
  return result;
}

// Serialisation between processes.
std::string to_text(const CaseResult& result) {
  PlainJson statistics = PlainJson::array();
  for (const Statistic& s : result.statistics) statistics.push_back({s.name, s.value});
  return PlainJson{std::move(statistics), result.failure, static_cast<int>(result.status), result.unchecked,
                   kept_values_text(result.values)}
      .dump(-1, ' ', false, PlainJson::error_handler_t::replace);
}

CaseResult result_from(const ChildResult& child) {
  const PlainJson json = PlainJson::parse(child.text, nullptr, false);
  if (!child.failure.empty() || !json.is_array())
    return failure_of(
        "its process " + (child.failure.empty() ? std::string("sent no results") : child.failure),
        ExitStatus::kInvariant);
  CaseResult result{{},
                    json.at(1).get<std::string>(),
                    static_cast<ExitStatus>(json.at(2).get<int>()),
                    json.at(3).get<std::string>(),
                    parse_kept_values(json.at(4).get<std::string>(), "the case's process")};
  for (const PlainJson& s : json.at(0))
    result.statistics.push_back({s.at(0).get<std::string>(), s.at(1).get<std::string>()});
  return result;
}

}  // namespace

CaseResult run_case_here(const ConfigRequest& request, const CaseDemands& demands) {
  try {
    return measure_case(request, demands);
  } catch (const UserError& error) {
    return failure_of(error.what(), error.status);
  } catch (const isa::ProgramError& error) {
    return failure_of(error.what(), ExitStatus::kProgram);
  } catch (const std::bad_alloc&) {
    return failure_of("the host has no memory left", ExitStatus::kHost);
  } catch (const std::exception& error) {
    return failure_of(error.what(), ExitStatus::kInvariant);
  }
}

std::vector<CaseResult> run_cases(const CaseFile& file, const RegressionOptions& options) {
  std::vector<std::function<std::string()>> bodies;
  for (const RegressionCase& each : file.cases) {
    ConfigRequest request = each.request;
    request.overrides.insert(request.overrides.end(), options.overrides.begin(), options.overrides.end());
    const CaseDemands demands{file.patterns, options.require_golden, each.checks, file.values};
    bodies.emplace_back([request, demands] { return to_text(run_case_here(request, demands)); });
  }
  ProgressLine progress;
  progress.stage(fmt::format("running {} cases", bodies.size()));
  const auto children = run_in_children(
      bodies, options.jobs, [&](std::size_t done) { progress.count(done, bodies.size(), "cases have run"); });
  std::vector<CaseResult> results;
  for (const ChildResult& child : children) results.push_back(result_from(child));
  return results;
}

}  // namespace tahoma::runtime
