// SPDX-License-Identifier: Apache-2.0
#include "report/files/collective_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/shares.h"
#include "report/tables/column_csv.h"
#include "report/tables/column_json.h"
#include "report/text/text_layout.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

struct SplitPart {
  const char* name;
  base::Duration TimeSplit::*part;
  const char* doc;
};
constexpr std::array kParts{
    SplitPart{"latency", &TimeSplit::latency, "sequential rounds, as long as rounds that move nothing"},
    SplitPart{"serialisation", &TimeSplit::serialisation, "bytes of the most loaded link over its rate"},
    SplitPart{"contention", &TimeSplit::contention, "queues, and rounds that did not overlap: the rest"},
    SplitPart{"reduction", &TimeSplit::reduction, "reading the sources of a sum beyond the first"},
    SplitPart{"waiting", &TimeSplit::waiting, "waiting for the slowest rank"}};

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
                        fmt::format("{:.2f}", clean_nanoseconds(c.time()) * 1e-3),
                        fmt::format("{:.2f}", c.algorithm_bandwidth() * 1e-9),
                        fmt::format("{:.2f}", c.bus_bandwidth() * 1e-9), verdict(c));
  return text;
}

std::string split_rows(const Collectives& collectives) {
  std::string text = fmt::format("  where the time went, percent\n  {:>11}", "size(B)");
  for (const SplitPart& part : kParts) text += fmt::format(" {:>13}", part.name);
  text += fmt::format(" {:>13}\n", "estimate");
  for (const CollectiveResult& c : collectives) {
    text += fmt::format("  {:>11}", c.bytes);
    for (const SplitPart& part : kParts)
      text += fmt::format(" {:>13.1f}", percent_of(c.split.*part.part, c.time()));
    text += fmt::format(" {:>13.1f}\n", percent_of(c.estimate, c.time()));
  }
  return text;
}

// Lists each algorithm's reasons once, in the order of first use.
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

const base::Columns<CollectiveResult>& collective_columns() {
  using base::Unit;
  using Row = CollectiveResult;
  static const auto kColumns = [] {
    auto columns =
        base::Columns<CollectiveResult>("collectives.csv", "collectives.*")
            .text("name", "name of the collective in this run", [](const Row& c) { return c.name; })
            .text("operation", "what it does, such as all_reduce", [](const Row& c) { return c.operation; })
            .text("combiner", "sum, min or max; empty if nothing is combined",
                  [](const Row& c) { return c.combiner; })
            .text("algorithm", "the algorithm used", [](const Row& c) { return c.algorithm; })
            .column({{"why", "why", "text", "why the algorithm was chosen"},
                     [](const Row& c) { return c.why; },
                     /*last_in_csv=*/true})
            .text("group", "the ranks, such as all on 64 chips", [](const Row& c) { return c.group; })
            .number("ranks", Unit::kCount, "number of ranks", [](const Row& c) { return c.ranks.size(); })
            .text("dtype", "type of the elements",
                  [](const Row& c) { return std::string(isa::name_of(c.dtype)); })
            .number("bytes", Unit::kBytes, "the whole array, as nccom-test counts it",
                    [](const Row& c) { return c.bytes; })
            .number("count", Unit::kCount, "its elements", [](const Row& c) { return c.count(); })
            .number("start_ns", Unit::kNanoseconds, "start of the first rank",
                    [](const Row& c) { return clean_nanoseconds(start_of(c)); })
            .number("time_ns", Unit::kNanoseconds, "from there to the end of the last rank",
                    [](const Row& c) { return clean_nanoseconds(c.time()); })
            .number("estimate_ns", Unit::kNanoseconds, "expected time on an idle machine",
                    [](const Row& c) { return clean_nanoseconds(c.estimate); })
            .number("algorithm_bandwidth", Unit::kBytesPerSecond, "bytes over time",
                    [](const Row& c) { return c.algorithm_bandwidth(); })
            .number("bus_bandwidth", Unit::kBytesPerSecond,
                    "the same times a factor, comparable with the rate at which a rank can send",
                    [](const Row& c) { return c.bus_bandwidth(); })
            .flag("correct", "whether the values are right; none if they were not checked",
                  [](const Row& c) { return c.correct ? base::Cell(*c.correct) : base::Cell(); })
            .number("slowest_rank", Unit::kIdentifier, "first rank that ended last",
                    [](const Row& c) { return slowest_rank(c); });
    for (const SplitPart& part : kParts)
      columns.number(std::string(part.name) + "_ns", std::string("time_split_ns.") + part.name,
                     Unit::kNanoseconds, part.doc,
                     [member = part.part](const Row& c) { return clean_nanoseconds(c.split.*member); });
    return columns;
  }();
  return kColumns;
}

Json collectives_json(const Collectives& collectives) {
  Json list = Json::array();
  for (const CollectiveResult& c : collectives) list.push_back(columns_json(collective_columns(), c));
  return list;
}

std::string collectives_csv(const Collectives& collectives) {
  CsvLines lines(collective_columns());
  for (const CollectiveResult& c : collectives) lines.add(c);
  return lines.text();
}

}  // namespace tahoma::runtime
