// SPDX-License-Identifier: Apache-2.0
#include "report/summary/run_headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/base/quantity.h"
#include "model/base/shares.h"
#include "report/summary/summary.h"
#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

// An operation with this share of a resource's time or more is named alone.
constexpr double kWhole = 0.95;
// This width fits in a line beside a time and the longest name of a resource. summary.json has the whole
// name.
constexpr std::size_t kOperationWidth = 23;

struct HeadlineKey {
  const char* key;
  std::string RunHeadline::*part;
};
constexpr std::array kHeadlineKeys{HeadlineKey{"time", &RunHeadline::time},
                                   HeadlineKey{"rate", &RunHeadline::rate},
                                   HeadlineKey{"efficiency", &RunHeadline::efficiency},
                                   HeadlineKey{"golden", &RunHeadline::golden},
                                   HeadlineKey{"limit", &RunHeadline::limit},
                                   HeadlineKey{"explained", &RunHeadline::explained}};

std::string golden_verdict(const GoldenResult& golden) {
  switch (golden.outcome()) {
    case GoldenOutcome::kNotChecked:
      return golden.not_finite == 0 ? "golden not checked" : "golden not checked, NOT FINITE results";
    case GoldenOutcome::kPassed:
      return golden.not_finite == 0 ? "golden passed" : "golden passed, NOT FINITE results";
    case GoldenOutcome::kFailed:
      return "GOLDEN FAILED";
  }
  return "";
}

// "busbw 122.1 GB/s at 1 GiB"; the size only where there are several.
std::string bus_bandwidth_text(const std::vector<CollectiveResult>& all) {
  const auto largest = std::max_element(all.begin(), all.end(),
                                        [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  if (largest == all.end() || largest->bytes == 0) return "";
  const bool several =
      std::any_of(all.begin(), all.end(), [&](const auto& c) { return c.bytes != largest->bytes; });
  return fmt::format("busbw {}{}", si_text(largest->bus_bandwidth(), "B/s"),
                     several ? " at " + base::to_text(base::Bytes{largest->bytes}) : "");
}

std::string hbm_text(const Summary& s) {
  const std::uint64_t bytes = s.hbm.read_bytes + s.hbm.write_bytes;
  if (bytes == 0) return "";
  const std::optional<double> share = s.mbu_estimated_percent(s.elapsed);
  return fmt::format("HBM {}{}", si_text(base::per_second(static_cast<double>(bytes), s.elapsed), "B/s"),
                     share ? fmt::format(", MBU {:.1f} %", *share) : "");
}

void set_rate(const Summary& s, RunHeadline& headline) {
  if (s.flops.useful > 0) {
    headline.rate = si_text(s.flops.achieved_tflops(s.elapsed) * 1e12, "FLOPS");
    headline.efficiency = fmt::format("MFU {:.1f} %", s.mfu_estimated_percent(s.elapsed));
    return;
  }
  headline.efficiency = bus_bandwidth_text(s.facts.collectives);
  if (headline.efficiency.empty()) headline.efficiency = hbm_text(s);
  const double operations = s.facts.regions.whole.operations;
  if (headline.efficiency.empty() && operations > 0)
    headline.efficiency = si_text(base::per_second(operations, s.elapsed), "OP/s");
}

std::string limit_text(const PathSummary& path) {
  const std::optional<PathResourceShare> limit = limiting_of(path.resources);
  if (!limit) return "no instruction was executed";
  const bool alone = limit->operation_percent >= kWhole * limit->share_percent;
  return fmt::format("{} limits: {:.1f} % of the critical path, {} {}", limit->resource, limit->share_percent,
                     alone ? "in" : "most in", fitted(limit->operation, kOperationWidth));
}

std::string joined(const std::vector<std::string>& parts) {
  std::vector<std::string> filled;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(filled),
               [](const auto& part) { return !part.empty(); });
  return fmt::format("{}", fmt::join(filled, ", "));
}

}  // namespace

std::string RunHeadline::text() const {
  return joined({time, rate, efficiency, golden, limit}) + (explained.empty() ? "" : "; " + explained);
}

// The time and the limit always fit in the first line.
std::string RunHeadline::block() const {
  const bool failed = golden.starts_with("GOLDEN");
  std::string first, second;
  for (const int moved : {0, 1, 2, 3}) {
    const std::string rate_below = moved >= 1 ? rate : "", golden_below = moved >= 2 && !failed ? golden : "",
                      efficiency_below = moved >= 3 ? efficiency : "";
    first = joined({time, rate_below.empty() ? rate : "", efficiency_below.empty() ? efficiency : "",
                    golden_below.empty() ? golden : "", limit});
    second = joined({rate_below, efficiency_below, golden_below});
    if (first.size() <= kWidth) break;
  }
  std::string block = first + "\n", line;
  for (const std::string& part : {second, explained}) {
    if (part.empty()) continue;
    if (!line.empty() && 2 + line.size() + 2 + part.size() > kWidth)
      block += "  " + std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : "; ") + part;
  }
  return block + (line.empty() ? "" : "  " + line + "\n");
}

RunHeadline headline_of(const Summary& s) {
  RunHeadline headline;
  headline.time = time_text(s.elapsed);
  set_rate(s, headline);
  headline.golden = golden_verdict(s.facts.golden);
  headline.limit = limit_text(s.facts.path);
  const auto limit = limiting_of(s.facts.path.resources);
  headline.explained = explained_text(limit ? limit->resource : "", s.facts.bottlenecks);
  return headline;
}

std::string explained_text(const std::string& limit, const std::optional<Bottlenecks>& verdict) {
  if (!verdict) return "";
  const Bottleneck& most = verdict->whole;
  if (most.resource.empty()) return "explain: no single resource shortens it";
  if (most.resource == limit)
    return fmt::format("explain agrees: {:.1f} % shorter if {} is ideal", most.shorter_percent, limit);
  const auto own = std::find_if(verdict->resources.begin(), verdict->resources.end(),
                                [&](const Bottleneck& b) { return b.resource == limit; });
  return fmt::format(
      "explain disagrees: {:.1f} % shorter if {} is ideal{}", most.shorter_percent, most.resource,
      own == verdict->resources.end() ? "" : fmt::format(", {:.1f} % if {} is", own->shorter_percent, limit));
}

Json headline_json(const RunHeadline& headline) {
  Json json{{"text", headline.text()}};
  for (const HeadlineKey& known : kHeadlineKeys) json[known.key] = headline.*known.part;
  return json;
}

RunHeadline stored_headline(const Json& summary) {
  RunHeadline headline;
  for (const HeadlineKey& known : kHeadlineKeys) headline.*known.part = summary.at("headline").at(known.key);
  return headline;
}

void set_verdict(Json& summary, const std::optional<Bottlenecks>& verdict) {
  const auto entry = [](const Bottleneck& b) {
    return Json{{"resource", b.resource}, {"shorter_percent", b.shorter_percent}};
  };
  summary["bottleneck"] = verdict ? entry(verdict->whole) : Json(nullptr);
  for (Json& region : summary.at("regions")) {
    const Bottleneck* known = verdict ? verdict->of_region(region.at("name")) : nullptr;
    region.erase("bottleneck");
    if (known != nullptr) region["bottleneck"] = entry(*known);
  }
  RunHeadline headline = stored_headline(summary);
  const Json& limit = summary.at("limits");
  headline.explained = explained_text(limit.is_null() ? "" : limit.at("resource"), verdict);
  summary["headline"] = headline_json(headline);
}

}  // namespace tahoma::runtime
