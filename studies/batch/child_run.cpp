// SPDX-License-Identifier: Apache-2.0
#include "studies/batch/child_run.h"

#include <nlohmann/json.hpp>

#include "isa/core/program_error.h"
#include "model/base/error.h"
#include "runtime/golden/golden_verdict.h"
#include "runtime/host/children.h"
#include "runtime/host/json/json_text.h"

namespace tahoma::runtime {

using base::UserError;
using Json = nlohmann::ordered_json;

namespace {

std::string failure(const std::string& place, const std::string& text, base::ExitStatus status) {
  return dump_json(Json{{"place", place}, {"error", text}, {"status", static_cast<int>(status)}});
}

// A child process returns this: the summary of its run, or an error of the user.
std::string executed(const ChildRun& run) {
  try {
    const RunOutcome outcome = run_workload(run.options);
    if (!outcome.golden.failed()) return outcome.summary_json;
    return failure(run.name, "its golden check failed: " + failure_text(outcome.golden),
                   base::ExitStatus::kCheckFailed);
  } catch (const UserError& error) {
    return failure(error.place, error.message, error.status);
  } catch (const isa::ProgramError& error) {
    return failure(error.place.empty() ? run.name : error.place, error.message, base::ExitStatus::kProgram);
  }
}

Json summary_of(const ChildResult& child, const std::string& name) {
  if (!child.failure.empty())
    throw UserError("E-HFC-020", name, "the run " + child.failure, base::ExitStatus::kHost);
  Json summary = Json::parse(child.text);
  if (summary.contains("error"))
    throw UserError("E-HFC-020", summary["place"].get<std::string>(), summary["error"].get<std::string>(),
                    static_cast<base::ExitStatus>(summary["status"].get<int>()));
  return summary;
}

}  // namespace

std::vector<Json> summaries_of(const std::vector<ChildRun>& runs, std::size_t jobs,
                               const std::function<void(std::size_t)>& progress) {
  std::vector<std::function<std::string()>> bodies;
  for (const ChildRun& run : runs) bodies.emplace_back([&run] { return executed(run); });
  const std::vector<ChildResult> results = run_in_children(bodies, jobs, progress);
  std::vector<Json> summaries;
  for (std::size_t i = 0; i < runs.size(); ++i) summaries.push_back(summary_of(results[i], runs[i].name));
  return summaries;
}

}  // namespace tahoma::runtime
