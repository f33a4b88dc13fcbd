// SPDX-License-Identifier: Apache-2.0
#include "report/links/link_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/shares.h"
#include "report/text/largest.h"
#include "report/text/saturation.h"

namespace tahoma::runtime {

using base::LinkMeasurement, base::RunMeasurement, base::TrafficMeasurement;

std::vector<FlowShare> flows_of(const LinkMeasurement& link) {
  std::vector<FlowShare> flows;
  for (const base::LinkFlow& f : link.flows) {
    const double share = link.payload_bytes == 0 ? 0
                                                 : 100 * static_cast<double>(f.payload_bytes) /
                                                       static_cast<double>(link.payload_bytes);
    flows.push_back({f.from_chip, f.to_chip, f.payload_bytes, share});
  }
  keep_largest(flows, flows.size(), [](const FlowShare& f) { return f.payload_bytes; });
  return flows;
}

namespace {

LinkLoad load_of_link(const LinkMeasurement& link, base::Duration elapsed) {
  LinkLoad load;
  load.name = link.path;
  load.busy_percent = percent_of(link.busy, elapsed);
  load.payload_bytes = link.payload_bytes;
  load.goodput = link.goodput(elapsed);
  load.blocked_percent = percent_of(link.blocked, elapsed);
  load.queue_high_water = link.queue_high_water;
  load.flows = flows_of(link);
  return load;
}

void add_to_axis(std::vector<AxisSummary>& axes, const LinkMeasurement& link, const LinkLoad& load) {
  auto axis =
      std::find_if(axes.begin(), axes.end(), [&](const AxisSummary& a) { return a.axis == link.axis; });
  if (axis == axes.end()) axis = axes.insert(axes.end(), AxisSummary{link.axis});
  ++axis->links;
  axis->bytes += link.payload_bytes;
  axis->wire_bytes += link.wire_bytes;
  axis->mean_busy_percent += load.busy_percent;  // a sum until all are added
  axis->mean_blocked_percent += load.blocked_percent;
}

void divide(std::vector<AxisSummary>& axes) {
  for (AxisSummary& axis : axes) {
    axis.mean_busy_percent /= static_cast<double>(axis.links);
    axis.mean_blocked_percent /= static_cast<double>(axis.links);
  }
}

std::optional<TrafficSummary> traffic_of(std::uint64_t chips, const RunMeasurement& run) {
  TrafficSummary traffic;
  for (const TrafficMeasurement& pair : run.traffic) {
    if (pair.payload_bytes == 0) continue;
    ++traffic.pairs;
    traffic.packets += pair.packets;
    traffic.bytes += pair.payload_bytes;
    if (pair.payload_bytes > traffic.largest.payload_bytes) traffic.largest = pair;
  }
  if (traffic.pairs == 0) return std::nullopt;
  if (chips <= kMatrixChips) traffic.matrix = traffic_matrix(chips, run);
  return traffic;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> traffic_matrix(std::uint64_t chips, const RunMeasurement& run) {
  std::vector<std::vector<std::uint64_t>> matrix(chips, std::vector<std::uint64_t>(chips, 0));
  for (const TrafficMeasurement& pair : run.traffic) {
    TAHOMA_INVARIANT(
        pair.from_chip < chips && pair.to_chip < chips,
        fmt::format("traffic from chip {} to chip {} of {}", pair.from_chip, pair.to_chip, chips));
    matrix[pair.from_chip][pair.to_chip] += pair.payload_bytes;
  }
  return matrix;
}

LinkSummary summarise_links(const model::MachineParams& machine, const RunMeasurement& run) {
  LinkSummary links;
  links.saturation = saturation_text(run.elapsed);
  for (const LinkMeasurement& link : run.links) {
    const LinkLoad load = load_of_link(link, run.elapsed);
    ++links.count;
    links.payload_bytes += link.payload_bytes;
    links.wire_bytes += link.wire_bytes;
    ++links.histogram[std::min(kBusyBins - 1, static_cast<std::size_t>(load.busy_percent / 10))];
    add_to_axis(links.axes, link, load);
    if (saturated_windows(link.series, run.elapsed) > 0) links.saturated.push_back(load);
    if (link.packets > 0) links.busiest.push_back(load);
  }
  divide(links.axes);
  keep_largest(links.busiest, kBusiestLinks, [](const LinkLoad& l) { return l.busy_percent; });
  links.traffic = traffic_of(machine.chips(), run);
  for (const auto* kind : {&machine.instances.links, &machine.instances.switch_links})
    for (const auto& [name, faults] : *kind) links.faults.push_back({name, faults});
  for (std::uint64_t chip = 0; chip < machine.chips(); ++chip)
    links.chips.push_back(model::chip_name(machine, chip));
  return links;
}

}  // namespace tahoma::runtime
