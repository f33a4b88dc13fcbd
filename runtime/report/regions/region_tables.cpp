// SPDX-License-Identifier: Apache-2.0
// Regions as text and as a table.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/report/files/statistics_tables.h"
#include "runtime/report/regions/regions.h"
#include "runtime/report/summary/format.h"

namespace tahoma::runtime {

namespace {

constexpr std::size_t kMostRows = 24;  // of the text; regions.csv has all

std::string region_row(const RegionSummary& r) {
  return fmt::format("  {:<30}{:>6}{:>12}{:>10}{:>12}{:>9.1f} %{:>14}\n", r.name, r.cores,
                     time_text(r.time()), name_of(r.bound_by()), time_text(r.bound()), r.bound_percent(),
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
  std::string text = fmt::format("  {:<30}", region.name);
  for (const std::size_t kind : kinds) text += fmt::format("{:>24}", stall_cell(region.engines[kind]));
  return text + "\n";
}

std::string stalls_text(const RegionRecorder::Summaries& summaries) {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind)
    if (summaries.whole.engines[kind].total().fs > 0) kinds.push_back(kind);
  if (kinds.empty()) return "";
  std::string text = "\nlargest stall of each region's engines, as a share of their time there\n" +
                     fmt::format("  {:<30}", "");
  for (const std::size_t kind : kinds)
    text += fmt::format("{:>24}", base::name_of(static_cast<base::EngineKind>(kind)));
  text += "\n";
  for (std::size_t i = 0; i < std::min(kMostRows, summaries.regions.size()); ++i)
    text += stall_row(summaries.regions[i], kinds);
  return text;
}

}  // namespace

std::string regions_text(const RegionRecorder::Summaries& summaries) {
  const std::vector<RegionSummary>& regions = summaries.regions;
  if (regions.empty()) return "";
  std::string text =
      "\nregions: the time of each, and the bound that the machine's laws give for its instructions\n";
  text += fmt::format("  {:<30}{:>6}{:>12}{:>10}{:>12}{:>11}{:>14}\n", "", "cores", "time", "bound by",
                      "bound", "reached", "operations/B");
  for (std::size_t i = 0; i < std::min(kMostRows, regions.size()); ++i) text += region_row(regions[i]);
  if (regions.size() > kMostRows)
    text += fmt::format("  and {} more in regions.csv\n", regions.size() - kMostRows);
  if (regions.size() > 1) text += region_row(summaries.whole);
  return text + stalls_text(summaries);
}

std::string regions_csv(const std::vector<RegionSummary>& regions) {
  std::string text =
      "name,start_ns,time_ns,cores,operations,hbm_bytes,sent_bytes,intensity,bound_by,bound_ns,bound_percent";
  for (std::size_t r = 0; r < kResources; ++r)
    text += fmt::format(",{}_ns", name_of(static_cast<Resource>(r)));
  text += "\n";
  for (const RegionSummary& r : regions) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}", csv_field(r.name), shortest(r.start.ns()),
                        shortest(r.time().ns()), r.cores, shortest(r.operations), r.hbm_bytes, r.sent_bytes,
                        shortest(r.intensity()), name_of(r.bound_by()), shortest(r.bound().ns()),
                        shortest(r.bound_percent()));
    for (const base::Duration need : r.needs) text += "," + shortest(need.ns());
    text += "\n";
  }
  return text;
}

}  // namespace tahoma::runtime
