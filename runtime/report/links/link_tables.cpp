// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/links/link_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/base/shares.h"
#include "runtime/report/files/saturation.h"
#include "runtime/report/files/statistics_tables.h"
#include "runtime/report/links/link_summary.h"
#include "runtime/report/summary/format.h"

namespace tahoma::runtime {
namespace {

// Rounds once, so prints clean.
std::string ns_text(base::Duration time) { return shortest(static_cast<double>(time.fs) / 1e6); }

}  // namespace

std::string links_csv(const base::RunMeasurement& run) {
  std::string text =
      "name,from_chip,to_chip,axis,payload_bytes,wire_bytes,packets,goodput,busy_percent,blocked_ns,"
      "blocked_percent,queue_full_ns,queue_full_percent,queue_high_water,saturated_windows\n";
  const auto share = [&](base::Duration part) { return shortest(percent_of(part, run.elapsed)); };
  for (const auto& link : run.links)
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(link.path), link.from_chip, link.to_chip,
        link.axis, link.payload_bytes, link.wire_bytes, link.packets, shortest(link.goodput(run.elapsed)),
        share(link.busy), ns_text(link.blocked), share(link.blocked), ns_text(link.queue_full),
        share(link.queue_full), link.queue_high_water, saturated_windows(link.series, run.elapsed));
  return text;
}

std::string links_windows_csv(const base::RunMeasurement& run) {
  std::string text = "name,window_start_ns,window_ns,busy_percent\n";
  for (const auto& link : run.links) {
    if (link.packets == 0) continue;
    const std::string name = csv_field(link.path);
    for (const WindowShare& window : windows_of(link.series, run.elapsed))
      text += fmt::format("{},{},{},{}\n", name, ns_text(window.start), ns_text(window.length),
                          shortest(window.busy_percent));
  }
  return text;
}

std::string traffic_csv(const model::MachineParams& machine, const base::RunMeasurement& run) {
  const auto matrix = traffic_matrix(machine.chips(), run);
  std::string text = "from";
  for (std::uint64_t chip = 0; chip < machine.chips(); ++chip) text += "," + model::chip_name(machine, chip);
  text += "\n";
  for (std::uint64_t chip = 0; chip < machine.chips(); ++chip)
    text += fmt::format("{},{}\n", model::chip_name(machine, chip), fmt::join(matrix[chip], ","));
  return text;
}

}  // namespace tahoma::runtime
