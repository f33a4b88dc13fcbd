// SPDX-License-Identifier: Apache-2.0
#include "report/run/stored_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "report/tables/column_csv.h"
#include "runtime/host/sha256.h"
#include "runtime/host/tables/csv.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "case,configuration,time_fs,low_ns,high_ns,of";

struct StoredRow {
  std::string time_fs, low_ns, high_ns, of;
};
using StoredRows = std::map<std::pair<std::string, std::string>, StoredRow>;  // by case and digest

StoredRows read_rows(const std::string& file) {
  StoredRows rows;
  if (!fs::is_regular_file(file)) return rows;
  const CsvTable table = parse_csv({file, read_file(file)});
  std::string header;
  for (const CsvField& field : table.header) header += (header.empty() ? "" : ",") + field.text;
  if (header != kHeader)
    throw base::UserError("E-ACC-003", file + ":1:1",
                          fmt::format("the columns are '{}': expected {}", header, kHeader));
  for (const CsvRow& row : table.rows)
    rows[{row[0].text, row[1].text}] = {row[2].text, row[3].text, row[4].text, row[5].text};
  return rows;
}

std::string name_of_case(const std::string& case_path) { return fs::path(case_path).filename().string(); }

double number_of(const std::string& text) {
  try {
    return std::stod(text);
  } catch (const std::exception&) {
    return 0;
  }
}

// A machine that names no file is the same whether or not there is a parameter for one.
std::string without_empty(const std::string& yaml) {
  std::string kept;
  for (std::size_t at = 0; at < yaml.size();) {
    const std::size_t end = std::min(yaml.find('\n', at), yaml.size() - 1) + 1;
    const std::string line = yaml.substr(at, end - at);
    if (!line.ends_with(": \"\"\n")) kept += line;
    at = end;
  }
  return kept;
}

}  // namespace

std::string configuration_digest(const ResolvedConfig& config) {
  const auto name = [](const std::string& path) { return fs::path(path).filename().string(); };
  return sha256_of(config.run.kind + "\n" + base::to_yaml(config.workload_tree, "workload", name) +
                   without_empty(base::to_yaml(config.machine_tree, "machine", name)))
      .substr(0, 16);
}

std::string file_of_intervals(const std::string& case_path) {
  if (!fs::is_regular_file(case_path))
    throw base::UserError(
        "E-CLI-004", "--store",
        fmt::format("'{}' is not the file of a case: expected one, beside which the interval is stored",
                    case_path));
  return (fs::path(case_path).parent_path() / "intervals.csv").string();
}

std::optional<TimeInterval> stored_interval(const std::string& case_path, const ResolvedConfig& config,
                                            base::Duration time) {
  if (!fs::is_regular_file(case_path)) return std::nullopt;
  const StoredRows rows = read_rows(file_of_intervals(case_path));
  if (rows.empty()) return std::nullopt;
  const auto found = rows.find({name_of_case(case_path), configuration_digest(config)});
  if (found == rows.end() || found->second.time_fs != fmt::format("{}", time.fs)) return std::nullopt;
  return TimeInterval{number_of(found->second.low_ns), number_of(found->second.high_ns), found->second.of};
}

void store_interval(const std::string& case_path, const ResolvedConfig& config, base::Duration time,
                    const TimeInterval& interval) {
  const std::string file = file_of_intervals(case_path);
  StoredRows rows = read_rows(file);
  rows[{name_of_case(case_path), configuration_digest(config)}] = {
      fmt::format("{}", time.fs), fmt::format("{:.3f}", interval.low_ns),
      fmt::format("{:.3f}", interval.high_ns), interval.of};
  std::string text = std::string(kHeader) + "\n";
  for (const auto& [key, row] : rows)
    text += fmt::format("{},{},{},{},{},{}\n", csv_field(key.first), key.second, row.time_fs, row.low_ns,
                        row.high_ns, row.of);
  write_file(file, text);
}

}  // namespace tahoma::runtime
