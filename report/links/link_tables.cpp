// SPDX-License-Identifier: Apache-2.0
#include "report/links/link_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/base/shares.h"
#include "report/links/link_summary.h"
#include "report/tables/column_csv.h"
#include "report/text/saturation.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {
namespace {

std::string ns_text(base::Duration time) { return shortest(base::clean_nanoseconds(time)); }

}  // namespace

const base::Columns<LinkRecord>& link_columns() {
  using base::LinkMeasurement, base::Unit;
  using Row = LinkRecord;
  static const auto kColumns =
      base::Columns<LinkRecord>("links.csv")
          .text("name", "instance of the direction", [](const Row& row) { return row.of.path; })
          .number("from_chip", Unit::kIdentifier, "number of the chip that sends",
                  [](const Row& row) { return std::uint64_t{row.of.from_chip}; })
          .number("to_chip", Unit::kIdentifier, "number of the chip that receives",
                  [](const Row& row) { return std::uint64_t{row.of.to_chip}; })
          .text("axis", "axis of the topology", [](const Row& row) { return std::string(1, row.of.axis); })
          .statistic(&LinkMeasurement::payload_bytes)
          .statistic(&LinkMeasurement::wire_bytes)
          .statistic(&LinkMeasurement::packets)
          .figure<LinkMeasurement>("goodput")
          .share(&LinkMeasurement::busy)
          .time(&LinkMeasurement::blocked)
          .share(&LinkMeasurement::blocked)
          .time(&LinkMeasurement::queue_full)
          .share(&LinkMeasurement::queue_full)
          .statistic(&LinkMeasurement::queue_high_water)
          .number("saturated_windows", Unit::kCount,
                  "windows in which the wire was sending for at least 95 %",
                  [](const Row& row) { return saturated_windows(row.of.series, row.elapsed); });
  return kColumns;
}

std::string links_csv(const base::RunMeasurement& run) {
  CsvLines lines(link_columns());
  for (const base::LinkMeasurement& link : run.links) lines.add({link, run.elapsed});
  return lines.text();
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
