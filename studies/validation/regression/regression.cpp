// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/regression.h"

#include <fmt/format.h>

#include <algorithm>

#include "studies/validation/regression/golden_statistics.h"

namespace tahoma::runtime {

using base::ExitStatus, base::UserError;

namespace {

RegressionRow failed(const std::string& name, const std::string& reason, ExitStatus status) {
  RegressionRow row;
  row.name = name;
  row.failure = reason;
  row.status = status;
  return row;
}

RegressionRow failed(const std::string& name, const UserError& error) {
  return failed(name, error.what(), error.status);
}

// A tolerance that matches no statistic is an error: the statistic may have been renamed.
void require_used(const RegressionCase& each, const RunStatistics& golden) {
  for (const Tolerance& t : each.tolerances)
    if (std::none_of(golden.begin(), golden.end(),
                     [&](const Statistic& s) { return matches_pattern(s.name, t.pattern); }))
      throw UserError("E-REG-004", t.place,
                      fmt::format("no statistic of the golden matches '{}'", t.pattern));
}

RunStatistics golden_statistics_of(const RegressionCase& each, const std::string& folder) {
  const std::string path = golden_statistics_path(folder, each.name);
  const auto golden = read_golden_statistics(path);
  if (!golden)
    throw UserError("E-REG-005", path,
                    fmt::format("case '{}' has no golden: create it with tahoma check --bless", each.name),
                    ExitStatus::kCheckFailed);
  return *golden;
}

bool differs(const std::vector<DifferenceGroup>& groups, const std::string& name) {
  return std::any_of(groups.begin(), groups.end(), [&](const DifferenceGroup& group) {
    return std::any_of(group.differences.begin(), group.differences.end(),
                       [&](const Difference& d) { return d.name == name; });
  });
}

// Without kept values, as for a golden of an earlier version, only the hashes show that an output differs.
std::vector<OutputChange> changed_outputs(const RegressionRow& row, const CaseResult& result,
                                          const std::string& folder) {
  const auto kept = read_kept_values(kept_values_path(folder, row.name));
  if (!kept) return {};
  std::vector<OutputChange> changes = output_changes(*kept, result.values);
  std::erase_if(changes, [&](const OutputChange& c) { return !differs(row.differences, hash_name(c.name)); });
  return changes;
}

RegressionRow row_of(const RegressionCase& each, const CaseResult& result, const std::string& folder) {
  if (!result.failure.empty()) return failed(each.name, result.failure, result.status);
  try {
    const RunStatistics golden = golden_statistics_of(each, folder);
    require_used(each, golden);
    RegressionRow row;
    row.name = each.name;
    row.has_golden_statistics = row.has_run = true;
    row.golden = headline_of(golden);
    row.now = headline_of(result.statistics);
    row.differences = differences_of(golden, result.statistics, each.tolerances);
    row.leads = leading_changes(row.differences, row.golden.time_ns, row.now.time_ns);
    row.outputs = changed_outputs(row, result, folder);
    row.compared = golden.size();
    row.unchecked = result.unchecked;
    if (!row.differences.empty()) row.status = ExitStatus::kCheckFailed;
    return row;
  } catch (const UserError& error) {
    return failed(each.name, error);
  }
}

// Goldens without a case in the file.
std::vector<RegressionRow> stale_rows(const CaseFile& file) {
  std::vector<RegressionRow> rows;
  for (const std::string& name : golden_statistics_in(file.goldens))
    if (std::find(file.all_names.begin(), file.all_names.end(), name) == file.all_names.end())
      rows.push_back(failed(
          name,
          UserError(
              "E-REG-007", golden_statistics_path(file.goldens, name),
              fmt::format("there is no case '{}' for this golden: remove it with tahoma check --bless", name),
              ExitStatus::kCheckFailed)));
  return rows;
}

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > kNamed ? text + fmt::format(" and {} more", names.size() - kNamed) : text;
}

std::string headline_text(const RegressionPage& page) {
  std::vector<std::string> bad;
  for (const RegressionRow& row : page.rows)
    if (!row.passed()) bad.push_back(row.name);
  const std::size_t all = page.rows.size();
  std::string text = fmt::format("all {} cases equal their goldens", all);
  if (!bad.empty())
    text = fmt::format("{} of {} cases {}: {}", bad.size(), all, bad.size() == 1 ? "fails" : "fail",
                       first_of(bad));
  if (const std::vector<std::string> unchecked = page.unchecked(); !unchecked.empty())
    text += fmt::format("; the values of {} {} not checked: {}", unchecked.size(),
                        unchecked.size() == 1 ? "case were" : "cases were", first_of(unchecked));
  return text;
}

}  // namespace

std::vector<std::string> RegressionPage::unchecked() const {
  std::vector<std::string> names;
  for (const RegressionRow& row : rows)
    if (row.passed() && !row.unchecked.empty()) names.push_back(row.name);
  return names;
}

RegressionPage check_cases(const std::string& path, const RegressionOptions& options) {
  const CaseFile file = load_case_file(path, options.only);
  RegressionPage page;
  page.file = path;
  page.title = file.title;
  page.overrides = options.overrides;
  const std::vector<CaseResult> results = run_cases(file, options);
  for (std::size_t i = 0; i < results.size(); ++i)
    page.rows.push_back(row_of(file.cases[i], results[i], file.goldens));
  for (RegressionRow& row : stale_rows(file)) page.rows.push_back(std::move(row));
  for (const RegressionRow& row : page.rows) page.status = std::max(page.status, row.status);
  page.headline = headline_text(page);
  return page;
}

}  // namespace tahoma::runtime
