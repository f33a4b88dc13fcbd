// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/golden_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "model/base/error.h"
#include "report/tables/column_csv.h"
#include "runtime/host/tables/csv.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;
using base::UserError;

namespace {

constexpr const char* kSuffix = ".csv";
constexpr const char* kHeader = "statistic,value\n";

}  // namespace

std::string golden_statistics_path(const std::string& folder, const std::string& case_name) {
  return (fs::path(folder) / (case_name + kSuffix)).string();
}

std::optional<RunStatistics> read_golden_statistics(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const CsvTable table = parse_csv({path, read_file(path)});
  if (table.header.size() != 2 || table.header[0].text != "statistic" || table.header[1].text != "value")
    throw UserError("E-REG-006", path, "expected the columns statistic,value");
  RunStatistics statistics;
  std::set<std::string> names;
  for (const CsvRow& row : table.rows) {
    if (!names.insert(row[0].text).second)
      throw UserError("E-REG-006", row[0].place, fmt::format("statistic '{}' appears twice", row[0].text));
    statistics.push_back({row[0].text, row[1].text});
  }
  return statistics;
}

void write_golden_statistics(const std::string& path, const RunStatistics& statistics) {
  std::string text = kHeader;
  for (const Statistic& s : statistics) text += csv_field(s.name) + "," + csv_field(s.value) + "\n";
  write_file(path, text);
}

std::vector<std::string> golden_statistics_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == kSuffix) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tahoma::runtime
