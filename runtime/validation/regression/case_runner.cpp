// SPDX-License-Identifier: Apache-2.0
#include "runtime/validation/regression/case_runner.h"

#include <fmt/format.h>

#include <new>
#include <nlohmann/json.hpp>

#include "isa/core/program_error.h"
#include "runtime/host/children.h"
#include "runtime/host/sha256.h"
#include "runtime/report/summary/summary_json.h"
#include "runtime/run/simulation.h"

namespace tahoma::runtime {

using base::ExitStatus, base::UserError;
using PlainJson = nlohmann::json;

namespace {

void require_golden_check(const GoldenResult& golden) {
  if (!golden.checked || golden.passed) return;
  throw UserError("E-RUN-070", "golden check",
                  fmt::format("{} of {} elements are wrong\n{}", golden.mismatches, golden.elements,
                              golden.first_mismatch),
                  ExitStatus::kCheckFailed);
}

std::string hash_of(const NamedValues& output) {
  return sha256_of({reinterpret_cast<const char*>(output.values.data()), output.values.size()});
}

RunStatistics measure_case(const ConfigRequest& request, const std::vector<std::string>& patterns) {
  const std::unique_ptr<ResolvedConfig> config = resolve_config(request);
  SimulationOptions options;
  options.outputs = config->mode() == model::Mode::kFunctional;
  const Simulated run = simulate(*config, options, nullptr);
  require_golden_check(run.golden);
  RunStatistics statistics = summary_statistics(summary_json(summary_of(*config, run)));
  for (const NamedValues& output : run.outputs)
    statistics.push_back({"outputs." + output.name + ".sha256", hash_of(output)});
  return joined(std::move(statistics), class_statistics(run.stats.stats(), patterns));
}

// Serialisation between processes.
std::string to_text(const CaseResult& result) {
  PlainJson statistics = PlainJson::array();
  for (const Statistic& s : result.statistics) statistics.push_back({s.name, s.value});
  return PlainJson{std::move(statistics), result.failure, static_cast<int>(result.status)}.dump(
      -1, ' ', false, PlainJson::error_handler_t::replace);
}

CaseResult result_from(const ChildResult& child) {
  const PlainJson json = PlainJson::parse(child.text, nullptr, false);
  if (!child.failure.empty() || !json.is_array())
    return {{},
            "its process " + (child.failure.empty() ? std::string("sent no results") : child.failure),
            ExitStatus::kInvariant};
  CaseResult result{{}, json.at(1).get<std::string>(), static_cast<ExitStatus>(json.at(2).get<int>())};
  for (const PlainJson& s : json.at(0))
    result.statistics.push_back({s.at(0).get<std::string>(), s.at(1).get<std::string>()});
  return result;
}

}  // namespace

CaseResult run_case_here(const ConfigRequest& request, const std::vector<std::string>& patterns) {
  try {
    return {measure_case(request, patterns), "", ExitStatus::kOk};
  } catch (const UserError& error) {
    return {{}, error.what(), error.status};
  } catch (const isa::ProgramError& error) {
    return {{}, error.what(), ExitStatus::kProgram};
  } catch (const std::bad_alloc&) {
    return {{}, "the host has no memory left", ExitStatus::kHost};
  } catch (const std::exception& error) {
    return {{}, error.what(), ExitStatus::kInvariant};
  }
}

std::vector<CaseResult> run_cases(const CaseFile& file, const std::vector<std::string>& overrides,
                                  std::size_t jobs) {
  std::vector<std::function<std::string()>> bodies;
  for (const RegressionCase& each : file.cases) {
    ConfigRequest request = each.request;
    request.overrides.insert(request.overrides.end(), overrides.begin(), overrides.end());
    bodies.emplace_back([request, &file] { return to_text(run_case_here(request, file.patterns)); });
  }
  ProgressLine progress;
  progress.stage(fmt::format("running {} cases", bodies.size()));
  const auto children = run_in_children(bodies, jobs, [&](std::size_t done) {
    progress.stage(fmt::format("{} of {} cases have run", done, bodies.size()));
  });
  std::vector<CaseResult> results;
  for (const ChildResult& child : children) results.push_back(result_from(child));
  return results;
}

}  // namespace tahoma::runtime
