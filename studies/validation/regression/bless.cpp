// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "report/tables/column_csv.h"
#include "runtime/host/output/version.h"
#include "runtime/host/text/format.h"
#include "runtime/host/text/whole_file.h"
#include "studies/validation/regression/golden_statistics.h"
#include "studies/validation/regression/regression.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;
using base::ExitStatus, base::UserError;

namespace {

constexpr const char* kLogHeader =
    "date,version,commit,case,old_time_ns,new_time_ns,old_mfu_percent,new_mfu_percent,old_busiest,new_"
    "busiest,"
    "reason\n";

struct Change {
  std::string name;
  std::optional<RunStatistics> before, after;
  std::string values = {};  // the file of kept values after the change; "" for none
};

void require_allowed(const std::string& reason, const RegressionOptions& options) {
  const char* ci = std::getenv("CI");
  if (ci != nullptr && *ci != '\0')
    throw UserError("E-REG-009", "--bless",
                    "CI is set in the environment: goldens are blessed by a person, and reviewed");
  if (reason.find_first_not_of(" \t\n") == std::string::npos)
    throw UserError("E-REG-008", "--bless", "expected --reason \"why the figures change\"");
  if (!options.overrides.empty())
    throw UserError(
        "E-REG-010", "--bless",
        fmt::format("--set {}: goldens must be those of the unmodified cases", options.overrides.front()));
}

void require_run(const CaseFile& file, const std::vector<CaseResult>& results) {
  std::vector<std::string> reasons;
  ExitStatus status = ExitStatus::kOk;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].failure.empty()) continue;
    reasons.push_back(fmt::format("\n  {}: {}", file.cases[i].name, results[i].failure));
    status = std::max(status, results[i].status);
  }
  if (!reasons.empty())
    throw UserError("E-REG-011", file.file,
                    fmt::format("no golden was written: {} of {} cases cannot be blessed{}", reasons.size(),
                                results.size(), fmt::join(reasons, "")),
                    status);
}

// A golden that cannot be read is replaced, like one that differs.
std::optional<RunStatistics> old_golden_statistics(const std::string& path) {
  try {
    return read_golden_statistics(path);
  } catch (const UserError&) {
    return RunStatistics{};
  }
}

std::string old_values(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? read_file(path) : "";
}

std::vector<Change> changes_of(const CaseFile& file, const std::vector<CaseResult>& results) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto before = old_golden_statistics(golden_statistics_path(file.goldens, file.cases[i].name));
    const std::string values = results[i].values.empty() ? "" : kept_values_text(results[i].values);
    if (!before || !differences_of(*before, results[i].statistics).empty() ||
        values != old_values(kept_values_path(file.goldens, file.cases[i].name)))
      changes.push_back({file.cases[i].name, before, results[i].statistics, values});
  }
  for (const std::string& name : golden_statistics_in(file.goldens))
    if (std::find(file.all_names.begin(), file.all_names.end(), name) == file.all_names.end())
      changes.push_back(
          {name, old_golden_statistics(golden_statistics_path(file.goldens, name)), std::nullopt});
  return changes;
}

// Time, MFU and busiest resource before or after a change, for a line of the log.
struct Figures {
  std::string time, mfu, busiest;
};
Figures figures_of(const std::optional<RunStatistics>& statistics) {
  if (!statistics) return {};
  const Headline h = headline_of(*statistics);
  return {shortest(h.time_ns), shortest(h.mfu_percent), h.busiest};
}

// Writes one line of the log; a multi-line reason becomes one line.
std::string log_line(const Change& change, std::string reason) {
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  const Figures before = figures_of(change.before), after = figures_of(change.after);
  return fmt::format("{:%FT%TZ},{},{},{},{},{},{},{},{},{},{}\n", fmt::gmtime(std::time(nullptr)), version(),
                     commit(), change.name, before.time, after.time, before.mfu, after.mfu, before.busiest,
                     after.busiest, csv_field(reason));
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw UserError("E-OUT-001", folder, fmt::format("cannot be created: {}", error.message()),
                    status_of_write(error.value()));
}

void append_log(const std::string& folder, const std::vector<Change>& changes, const std::string& reason) {
  const std::string path = (fs::path(folder) / "bless.log").string();
  std::error_code ignored;
  std::string text = fs::exists(path, ignored) ? read_file(path) : kLogHeader;
  for (const Change& change : changes) text += log_line(change, reason);
  write_file(path, text);
}

std::string change_line(const Change& change) {
  if (!change.after) return fmt::format("  {}: removed, no case of that name\n", change.name);
  const std::string after = headline_text(headline_of(*change.after));
  if (!change.before) return fmt::format("  {}: new: {}\n", change.name, after);
  const std::size_t count = count_of(differences_of(*change.before, *change.after));
  if (count == 0) return fmt::format("  {}: kept values only\n", change.name);
  return fmt::format("  {}: {} statistic{}: {} -> {}\n", change.name, count, count == 1 ? "" : "s",
                     headline_text(headline_of(*change.before)), after);
}

void write_golden(const std::string& folder, const Change& change) {
  const std::string golden = golden_statistics_path(folder, change.name),
                    values = kept_values_path(folder, change.name);
  if (change.after)
    write_golden_statistics(golden, *change.after);
  else
    fs::remove(golden);
  if (change.values.empty())
    fs::remove(values);
  else
    write_file(values, change.values);
}

}  // namespace

std::string bless_cases(const std::string& path, const std::string& reason,
                        const RegressionOptions& options) {
  require_allowed(reason, options);
  const CaseFile file = load_case_file(path, options.only);
  const std::vector<CaseResult> results = run_cases(file, options);
  require_run(file, results);
  const std::vector<Change> changes = changes_of(file, results);
  if (changes.empty()) return fmt::format("all {} goldens are unchanged\n", results.size());
  make_folder(file.goldens);
  append_log(file.goldens, changes, reason);  // first, because a duplicate log entry does no harm
  std::string text = fmt::format("{} golden{} of {} cases written to {}\n", changes.size(),
                                 changes.size() == 1 ? "" : "s", results.size(), file.goldens);
  for (const Change& change : changes) {
    write_golden(file.goldens, change);
    text += change_line(change);
  }
  return text;
}

}  // namespace tahoma::runtime
