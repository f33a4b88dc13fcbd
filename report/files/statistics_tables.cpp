// SPDX-License-Identifier: Apache-2.0
#include "report/files/statistics_tables.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "report/tables/column_csv.h"
#include "runtime/host/json/json_text.h"

namespace tahoma::runtime {

using base::Stat;
using Json = nlohmann::ordered_json;

namespace {

void check_finite(const Stat& stat) {
  const double* value = std::get_if<double>(&stat.value);
  TAHOMA_INVARIANT(value == nullptr || std::isfinite(*value),
                   stat.path + ": a statistic is not a finite number");
}

// Caches the text after the value in a line: many statistics share it, and there may be 100,000 of them.
class LineEnds {
 public:
  explicit LineEnds(std::string (*end_of)(const Stat&)) : end_of_(end_of) {}
  const std::string& of(const Stat& stat) {
    std::string& end = ends_[{stat.unit, stat.doc}];
    if (end.empty()) end = end_of_(stat);
    return end;
  }

 private:
  std::string (*end_of_)(const Stat&);
  std::map<std::pair<base::Unit, const char*>, std::string> ends_;
};

std::string json_text(const std::string& text) { return dump_json(Json(text)); }

std::string json_end(const Stat& stat) {
  return ",\"unit\":" + json_text(std::string(base::name_of(stat.unit))) +
         ",\"description\":" + json_text(stat.doc) + "}";
}

std::string csv_end(const Stat& stat) {
  return fmt::format(",{},{}\n", base::name_of(stat.unit), csv_field(stat.doc));
}

constexpr std::size_t kTypicalLine = 200;  // typical length, bytes

}  // namespace

std::string stats_json(const std::vector<Stat>& stats) {
  // One line per statistic, so that 100,000 of them remain readable for grep and diff.
  std::string text = "[\n";
  text.reserve(kTypicalLine * stats.size());
  LineEnds ends(json_end);
  for (const Stat& stat : stats) {
    check_finite(stat);
    text += "  {\"path\":" + json_text(stat.path) + ",\"value\":";
    if (const auto* count = std::get_if<std::uint64_t>(&stat.value))
      text += std::to_string(*count);
    else
      text += Json(std::get<double>(stat.value)).dump();
    text += ends.of(stat);
    text += &stat == &stats.back() ? "\n" : ",\n";
  }
  text += "]\n";
  return text;
}

std::string stats_csv(const std::vector<Stat>& stats) {
  std::string text = "path,value,unit,description\n";
  text.reserve(kTypicalLine * stats.size());
  LineEnds ends(csv_end);
  for (const Stat& stat : stats) {
    check_finite(stat);
    text += csv_field(stat.path);
    text += ',';
    std::visit([&](auto value) { fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value); },
               stat.value);
    text += ends.of(stat);
  }
  return text;
}

}  // namespace tahoma::runtime
