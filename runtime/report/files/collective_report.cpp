// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/files/collective_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/shares.h"
#include "runtime/report/files/statistics_tables.h"
#include "runtime/report/summary/format.h"
#include "runtime/report/summary/text_layout.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

struct SplitPart {
  const char* name;
  base::Duration TimeSplit::*part;
};
constexpr std::array kParts{
    SplitPart{"latency", &TimeSplit::latency}, SplitPart{"serialisation", &TimeSplit::serialisation},
    SplitPart{"contention", &TimeSplit::contention}, SplitPart{"reduction", &TimeSplit::reduction},
    SplitPart{"waiting", &TimeSplit::waiting}};

// Rounds once, so that the number prints cleanly.
double nanoseconds(base::Duration time) { return static_cast<double>(time.fs) / 1e6; }

base::Time start_of(const CollectiveResult& c) {
  return std::min_element(c.ranks.begin(), c.ranks.end(),
                          [](const RankTimes& a, const RankTimes& b) { return a.start < b.start; })
      ->start;
}

std::size_t slowest_rank(const CollectiveResult& c) {
  const auto slowest = std::max_element(c.ranks.begin(), c.ranks.end(),
                                        [](const RankTimes& a, const RankTimes& b) { return a.end < b.end; });
  return static_cast<std::size_t>(slowest - c.ranks.begin());
}

std::string operation_text(const CollectiveResult& c) {
  return c.combiner.empty() ? c.operation : c.operation + " " + c.combiner;
}

std::string verdict(const CollectiveResult& c) { return !c.correct ? "-" : *c.correct ? "yes" : "NO"; }

constexpr const char* kResultRow = "  {:>11} {:>11} {:>5} {:<16} {:<14} {:>11} {:>8} {:>8} {:>3}\n";

std::string result_rows(const Collectives& collectives) {
  std::string text = fmt::format(kResultRow, "size(B)", "count", "type", "op", "algorithm", "time(us)",
                                 "algbw", "busbw", "ok");
  for (const CollectiveResult& c : collectives)
    text += fmt::format(kResultRow, c.bytes, c.count(), isa::name_of(c.dtype), operation_text(c), c.algorithm,
                        fmt::format("{:.2f}", nanoseconds(c.time()) * 1e-3),
                        fmt::format("{:.2f}", c.algorithm_bandwidth() * 1e-9),
                        fmt::format("{:.2f}", c.bus_bandwidth() * 1e-9), verdict(c));
  return text;
}

std::string split_rows(const Collectives& collectives) {
  std::string text = fmt::format("  where the time went, percent\n  {:>11}", "size(B)");
  for (const SplitPart& part : kParts) text += fmt::format(" {:>13}", part.name);
  text += fmt::format(" {:>13}\n", "closed form");
  for (const CollectiveResult& c : collectives) {
    text += fmt::format("  {:>11}", c.bytes);
    for (const SplitPart& part : kParts)
      text += fmt::format(" {:>13.1f}", percent_of(c.split.*part.part, c.time()));
    text += fmt::format(" {:>13.1f}\n", percent_of(c.closed_form, c.time()));
  }
  return text;
}

// Each algorithm's reasons once, in the order of first use.
std::string reason_rows(const Collectives& collectives) {
  std::vector<std::string> reasons;
  for (const CollectiveResult& c : collectives)
    if (const std::string reason = fmt::format("{}: {}", c.algorithm, c.why);
        !c.why.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  std::string text;
  for (const std::string& reason : reasons) text += wrapped_row(text.empty() ? "  algorithms" : "", reason);
  return text;
}

// "all on 64 chips" once; or a reference to the file if the groups differ.
std::string heading(const Collectives& collectives) {
  const std::string& group = collectives.front().group;
  const bool same = std::all_of(collectives.begin(), collectives.end(),
                                [&](const CollectiveResult& c) { return c.group == group; });
  return wrapped_row("collectives", same ? group : "several groups, see collectives.csv");
}

}  // namespace

std::string collectives_text(const Collectives& collectives) {
  if (collectives.empty()) return "";
  return "\n" + heading(collectives) + result_rows(collectives) + split_rows(collectives) +
         reason_rows(collectives);
}

Json collectives_json(const Collectives& collectives) {
  Json list = Json::array();
  for (const CollectiveResult& c : collectives) {
    Json split = Json::object();
    for (const SplitPart& part : kParts) split[part.name] = nanoseconds(c.split.*part.part);
    list.push_back({{"name", c.name},
                    {"operation", c.operation},
                    {"combiner", c.combiner},
                    {"algorithm", c.algorithm},
                    {"why", c.why},
                    {"group", c.group},
                    {"ranks", c.ranks.size()},
                    {"dtype", isa::name_of(c.dtype)},
                    {"bytes", c.bytes},
                    {"count", c.count()},
                    {"start_ns", nanoseconds(start_of(c))},
                    {"time_ns", nanoseconds(c.time())},
                    {"closed_form_ns", nanoseconds(c.closed_form)},
                    {"algorithm_bandwidth", c.algorithm_bandwidth()},
                    {"bus_bandwidth", c.bus_bandwidth()},
                    {"correct", c.correct ? Json(*c.correct) : Json(nullptr)},
                    {"slowest_rank", slowest_rank(c)},
                    {"time_split_ns", split}});
  }
  return list;
}

std::string collectives_csv(const Collectives& collectives) {
  std::string text =
      "name,operation,combiner,algorithm,group,ranks,dtype,bytes,count,start_ns,time_ns,closed_form_ns,"
      "algorithm_bandwidth,bus_bandwidth,correct,slowest_rank";
  for (const SplitPart& part : kParts) text += fmt::format(",{}_ns", part.name);
  text += ",why\n";
  for (const CollectiveResult& c : collectives) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", csv_field(c.name), c.operation,
                        c.combiner, csv_field(c.algorithm), csv_field(c.group), c.ranks.size(),
                        isa::name_of(c.dtype), c.bytes, c.count(), shortest(nanoseconds(start_of(c))),
                        shortest(nanoseconds(c.time())), shortest(nanoseconds(c.closed_form)),
                        shortest(c.algorithm_bandwidth()), shortest(c.bus_bandwidth()),
                        c.correct ? (*c.correct ? "1" : "0") : "", slowest_rank(c));
    for (const SplitPart& part : kParts) text += "," + shortest(nanoseconds(c.split.*part.part));
    text += "," + csv_field(c.why) + "\n";
  }
  return text;
}

}  // namespace tahoma::runtime
