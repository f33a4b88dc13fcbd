// SPDX-License-Identifier: Apache-2.0
// Regions as text and as a table.
#include <fmt/format.h>

#include <algorithm>

#include "report/regions/regions.h"
#include "report/tables/column_csv.h"
#include "report/text/largest.h"
#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

std::string region_row(const RegionSummary& r) {
  return fmt::format("  {:<30}{:>6}{:>12}{:>12}{:>8}{:>9.1f} %{:>14}\n", fitted(r.name, 30), r.cores,
                     time_text(r.time()), time_text(r.bound()), name_of(r.bound_by()), r.bound_percent(),
                     r.hbm_bytes == 0 ? "no bytes" : fmt::format("{:.1f}", r.intensity()));
}

// "wait_dma 41.3 %" of the time of a region's engines of one kind.
std::string stall_cell(const KindTime& time) {
  const std::optional<base::StallReason> stall = time.largest_stall();
  return stall                  ? fmt::format("{} {:.1f} %", base::name_of(*stall), time.percent(*stall))
         : time.total().fs == 0 ? ""
                                : "none";
}

std::string stall_row(const RegionSummary& region, const std::vector<std::size_t>& kinds) {
  std::string text = fmt::format("  {:<26}", fitted(region.name, 25));
  for (const std::size_t kind : kinds) text += fmt::format("{:>24}", stall_cell(region.engines[kind]));
  return trimmed(text) + "\n";
}

// The kinds of engines that were busy longest, in their own order: as many as fit in a line.
std::vector<std::size_t> busiest_kinds(const KindTimes& engines) {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind)
    if (engines[kind].total().fs > 0) kinds.push_back(kind);
  keep_largest(kinds, 3, [&](std::size_t kind) {
    return engines[kind].time[static_cast<std::size_t>(base::StallReason::kBusy)];
  });
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

using Longest = std::vector<const RegionSummary*>;

std::string stalls_text(const RegionRecorder::Summaries& summaries, const Longest& shown) {
  const std::vector<std::size_t> kinds = busiest_kinds(summaries.whole.engines);
  if (kinds.empty() || shown.empty()) return "";
  std::string text = "\nlargest stall of each region's busiest engines, as a share of their time there\n" +
                     fmt::format("  {:<26}", "");
  for (const std::size_t kind : kinds)
    text += fmt::format("{:>24}", base::name_of(static_cast<base::EngineKind>(kind)));
  text += "\n";
  for (const RegionSummary* region : shown) text += stall_row(*region, kinds);
  return text;
}

// The longest regions, in the order of their starts.
Longest longest_regions(const std::vector<RegionSummary>& regions, std::size_t most) {
  Longest longest;
  for (const RegionSummary& region : regions) longest.push_back(&region);
  keep_largest(longest, most, [](const RegionSummary* region) { return region->time(); });
  std::sort(longest.begin(), longest.end());  // they are elements of one list
  return longest;
}

}  // namespace

std::string regions_text(const RegionRecorder::Summaries& summaries, const RowLimits& most) {
  const std::vector<RegionSummary>& regions = summaries.regions;
  if (regions.empty()) return "";
  std::string text =
      "\nregions: the time of each, and its roofline: the least time its instructions need on one resource\n";
  text += fmt::format("  {:<30}{:>6}{:>12}{:>12}{:>8}{:>11}  operations/B\n", "", "cores", "time", "roofline",
                      "of", "reached");
  const Longest shown = longest_regions(regions, most.regions);
  for (const RegionSummary* region : shown) text += region_row(*region);
  if (regions.size() > shown.size())
    text += fmt::format("  and {} more in regions.csv\n", regions.size() - shown.size());
  if (regions.size() > 1) text += region_row(summaries.whole);
  return text + stalls_text(summaries, longest_regions(regions, most.stalls));
}

const base::Columns<RegionSummary>& region_columns() {
  using base::Unit;
  using Row = RegionSummary;
  static const auto kColumns = [] {
    auto columns =
        base::Columns<RegionSummary>("regions.csv", "regions.*")
            .text("name", "name of the region", [](const Row& r) { return r.name; })
            .number("start_ns", Unit::kNanoseconds, "start of its first instruction or packet on any core",
                    [](const Row& r) { return r.start.ns(); })
            .number("time_ns", Unit::kNanoseconds, "from there to its last result",
                    [](const Row& r) { return r.time().ns(); })
            .number("cores", Unit::kCount, "cores that executed part of it",
                    [](const Row& r) { return r.cores; })
            .number("operations", Unit::kCount,
                    "2 for each multiply-accumulate, 1 for each element of other engines' instructions",
                    [](const Row& r) { return r.operations; })
            .number("hbm_bytes", Unit::kBytes, "bytes read from and written to HBM",
                    [](const Row& r) { return r.hbm_bytes; })
            .number("sent_bytes", Unit::kBytes, "bytes sent to other chips",
                    [](const Row& r) { return r.sent_bytes; })
            .number("intensity", Unit::kRatio, "operations per byte of HBM traffic; 0 without traffic",
                    [](const Row& r) { return r.intensity(); })
            .text("bound_by", "resource whose least time is the longest: the roofline of the region",
                  [](const Row& r) { return name_of(r.bound_by()); })
            .number("bound_ns", Unit::kNanoseconds, "least time of its instructions on that resource",
                    [](const Row& r) { return r.bound().ns(); })
            .number("bound_percent", Unit::kPercent, "that in percent of the time of the region",
                    [](const Row& r) { return r.bound_percent(); });
    for (std::size_t n = 0; n < kResources; ++n) {
      const std::string name = name_of(static_cast<RooflineResource>(n));
      columns.number(name + "_ns", "needs_ns." + name, Unit::kNanoseconds, "minimum time on this resource",
                     [n](const Row& r) { return r.needs[n].ns(); });
    }
    return columns;
  }();
  return kColumns;
}

const base::Columns<KindTime>& region_engine_columns() {
  using base::Unit, base::StallReason;
  static const auto kColumns = [] {
    auto columns =
        base::Columns<KindTime>("", "regions.*.engines.*")
            .number("", "time_ns", Unit::kNanoseconds, "time that engines of this kind spent in the region",
                    [](const KindTime& k) { return k.total().ns(); })
            .text("", "largest_stall", "stall reason with the most time there, or none",
                  [](const KindTime& k) {
                    const std::optional<StallReason> stall = k.largest_stall();
                    return stall ? base::name_of(*stall) : "none";
                  });
    for (std::size_t n = 0; n < base::kStallReasons; ++n) {
      const auto reason = static_cast<StallReason>(n);
      columns.number_if(
          "time_percent." + std::string(base::name_of(reason)), Unit::kPercent, base::doc_of(reason),
          [n, reason](const KindTime& k) -> base::Cell {
            if (k.time[n].fs == 0) return {};
            return k.percent(reason);
          },
          reason == StallReason::kBusy ? base::Better::kMore : base::Better::kLess);
    }
    return columns;
  }();
  return kColumns;
}

std::string regions_csv(const std::vector<RegionSummary>& regions) {
  CsvLines lines(region_columns());
  for (const RegionSummary& region : regions) lines.add(region);
  return lines.text();
}

}  // namespace tahoma::runtime
