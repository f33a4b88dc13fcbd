// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/differences/run_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "report/files/stats_files.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

using base::Stat;
using Json = nlohmann::ordered_json;

namespace {

// Keys of summary.json that are omitted, see the header. golden.checked and golden.passed state the outcome.
constexpr std::array kLeftOut{"schema_version",
                              "headline*",
                              "limits*",
                              "golden.rule",
                              "golden.outcome",
                              "golden.max_*",
                              "checks.first*",
                              "checks.groups*",
                              "busiest.instance",
                              "collectives[*].why",
                              "hbm.busiest_stacks*",
                              "links.saturated.names*",
                              "links.saturated.links*",
                              "links.traffic.matrix*",
                              "links.traffic.chips*",
                              "links.busiest[*",
                              "bottleneck*",
                              "critical_path*",
                              "lines_share_of",
                              "lines[*",
                              "functions[*",
                              "regions[*].bottleneck*",
                              "energy*",
                              "cost*",
                              "area*",
                              "band*",
                              "links.saturated.definition",
                              "programs_hash",
                              "warnings*"};

constexpr std::array kDefaultPatterns{
    "*.busy",           "*.tensor.cell_cycles", "*.dma.*",  "*.hbm*.reads.*",
    "*.hbm*.writes.*",  "*.hbm*.channel*.*",    "*.link.*", "traffic.*",
    "link_packet_hops", "dma_packets"};

// Parts whose number does not distinguish instances.
constexpr std::array kInstances{"server", "chip", "core", "cc", "hbm", "channel"};

// Last names of the statistics that are declared as levels.
const std::set<std::string>& levels() {
  static const std::set<std::string> names = [] {
    std::set<std::string> found;
    for (const Stat& stat : known_statistics())
      if (!stat.adds) found.insert(stat.path.substr(stat.path.rfind('.') + 1));
    return found;
  }();
  return names;
}

template <class Patterns>
bool matches_any(const std::string& name, const Patterns& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const auto& pattern) { return matches_pattern(name, pattern); });
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return shortest(value.get<double>());
  return dump_json(value);
}

enum class ItemsBy { kNumber, kName };

// "gate and up", or "" where the items of a list have no names of their own.
std::string name_of_item(const Json& list, std::size_t i) {
  const auto name = [](const Json& item) {
    return item.is_object() && item.contains("name") && item["name"].is_string()
               ? item["name"].get<std::string>()
               : std::string();
  };
  const std::string wanted = name(list[i]);
  const auto same =
      std::count_if(list.begin(), list.end(), [&](const Json& item) { return name(item) == wanted; });
  return same == 1 && wanted.find_first_of("[]") == std::string::npos ? wanted : "";
}

void flatten(const Json& value, const std::string& name, ItemsBy by, RunStatistics& out) {
  if (value.is_object()) {
    const std::string group = name.empty() ? "" : fmt::format("{}.", name);
    for (const auto& [key, below] : value.items()) flatten(below, group + key, by, out);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string own = by == ItemsBy::kName ? name_of_item(value, i) : "";
      flatten(value[i], own.empty() ? fmt::format("{}[{}]", name, i) : fmt::format("{}[{}]", name, own), by,
              out);
    }
  } else if (!(value.is_number() && value.get<double>() == 0) && !matches_any(name, kLeftOut)) {
    out.push_back({name, text_of(value)});
  }
}

// "chip03" becomes "chip*"; other parts are unchanged.
std::string class_of_part(std::string_view part) {
  const std::size_t digits = part.find_first_of("0123456789");
  const bool numbered = digits != std::string_view::npos &&
                        part.find_first_not_of("0123456789", digits) == std::string_view::npos;
  const std::string_view letters = part.substr(0, digits);
  const bool instance = std::find(kInstances.begin(), kInstances.end(), letters) != kInstances.end();
  return numbered && instance ? std::string(letters) + "*" : std::string(part);
}

std::string class_of(const std::string& path) {
  std::string name;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (begin > 0) name += '.';
    name += class_of_part(std::string_view(path).substr(begin, end - begin));
    begin = end + 1;
  }
  return name;
}

bool adds_up(const Stat& stat, const std::string& name) {
  if (stat.unit == base::Unit::kRatio || stat.unit == base::Unit::kBytesPerSecond) return false;
  return !levels().contains(name.substr(name.rfind('.') + 1));
}

struct ClassTally {
  bool folded = false, added = false, counts = true;
  std::uint64_t count = 0, instances = 0;
  double sum = 0, most = 0;

  void add(const Stat& stat) {
    const auto* whole = std::get_if<std::uint64_t>(&stat.value);
    const double value = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(stat.value);
    counts = counts && whole != nullptr;
    if (whole != nullptr) count += *whole;
    sum += value;
    ++instances;
    most = std::max(most, value);
  }
  std::string total_text() const { return counts ? std::to_string(count) : shortest(sum); }
  std::string most_text() const {
    return counts ? std::to_string(static_cast<std::uint64_t>(most)) : shortest(most);
  }
};

}  // namespace

std::optional<double> number_of(const std::string& value) {
  double number = 0;
  const char* end = value.data() + value.size();
  const auto [last, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || last != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::vector<std::string> default_patterns() { return {kDefaultPatterns.begin(), kDefaultPatterns.end()}; }

RunStatistics joined(RunStatistics first, const RunStatistics& more) {
  std::set<std::string> names;
  for (const Statistic& s : first) names.insert(s.name);
  for (const Statistic& s : more)
    if (names.insert(s.name).second) first.push_back(s);
  return first;
}

RunStatistics summary_statistics(const std::string& summary_json) {
  RunStatistics statistics;
  flatten(Json::parse(summary_json), "", ItemsBy::kNumber, statistics);
  return statistics;
}

RunStatistics named_summary_statistics(const std::string& summary_json) {
  RunStatistics statistics;
  flatten(Json::parse(summary_json), "", ItemsBy::kName, statistics);
  return statistics;
}

RunStatistics class_statistics(const std::vector<Stat>& stats, const std::vector<std::string>& patterns) {
  std::vector<std::pair<std::string, ClassTally>> tallies;
  std::map<std::string, std::optional<std::size_t>>
      known;  // position of a class; unset if no pattern matches it
  for (const Stat& stat : stats) {
    const std::string name = class_of(stat.path);
    const auto [at, fresh] = known.try_emplace(name);
    if (fresh && matches_any(name, patterns)) {
      at->second = tallies.size();
      tallies.push_back({name, {name != stat.path, adds_up(stat, name)}});
    }
    if (at->second) tallies[*at->second].second.add(stat);
  }
  RunStatistics statistics;
  for (const auto& [name, tally] : tallies) {
    if (tally.sum == 0) continue;
    if (!tally.folded || tally.added)
      statistics.push_back({tally.folded ? name + ".total" : name, tally.total_text(), tally.instances});
    if (tally.folded) statistics.push_back({name + ".most", tally.most_text()});
  }
  return statistics;
}

}  // namespace tahoma::runtime
