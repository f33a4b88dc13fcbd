// SPDX-License-Identifier: Apache-2.0
#include "report/links/link_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {
namespace {

constexpr std::size_t kMostSaturated = 2;  // of saturated links; summary.json has all
constexpr std::size_t kMostLoads = 2;      // of the busiest links

// "server0.chip00 -> chip05": the second server is named only if it differs.
std::string pair_text(const LinkSummary& links, std::uint32_t from, std::uint32_t to) {
  const std::string& sender = links.chips.at(from);
  const std::string& receiver = links.chips.at(to);
  const std::string server = sender.substr(0, sender.find('.') + 1);
  return fmt::format("{} -> {}", sender,
                     receiver.starts_with(server) ? receiver.substr(server.size()) : receiver);
}

std::string flows_row(const LinkSummary& links, const std::vector<FlowShare>& flows) {
  if (flows.empty()) return "";
  std::vector<std::string> parts;
  for (const FlowShare& f : flows)
    parts.push_back(fmt::format("{} {:.1f} %", pair_text(links, f.from_chip, f.to_chip), f.percent));
  return fitted_row("", parts);
}

std::string axis_rows(const LinkSummary& links) {
  std::string text;
  for (const AxisSummary& axis : links.axes)
    text += row(fmt::format("  axis {}", axis.axis),
                fmt::format("{} links, {} carried, busy {:.1f} %, blocked {:.1f} % on average", axis.links,
                            si_text(static_cast<double>(axis.bytes), "B"), axis.mean_busy_percent,
                            axis.mean_blocked_percent));
  return text;
}

// Writes the busiest links, and the sources of the first one's bytes.
std::string busiest_rows(const LinkSummary& links) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostLoads, links.busiest.size()); ++i) {
    const LinkLoad& link = links.busiest[i];
    text += row(i == 0 ? "  busiest" : "",
                fmt::format("{:<28} {:5.1f} % {:>12}  blocked {:.1f} %, at most {} queued", link.name,
                            link.busy_percent, si_text(static_cast<double>(link.payload_bytes), "B"),
                            link.blocked_percent, link.queue_high_water));
    if (i == 0) text += flows_row(links, link.flows);
  }
  return text;
}

std::string saturated_text(const LinkSummary& links) {
  std::string text = fmt::format("{} of {} ({})", links.saturated.size(), links.count, links.saturation);
  if (links.saturated.empty()) return text;
  text += ":";
  for (std::size_t i = 0; i < std::min(kMostSaturated, links.saturated.size()); ++i)
    text += " " + links.saturated[i].name;
  return links.saturated.size() > kMostSaturated ? text + " ..." : text;
}

std::string traffic_row(const LinkSummary& links) {
  if (!links.traffic) return "";
  const TrafficSummary& t = *links.traffic;
  return row("  traffic",
             fmt::format("{} over {} pairs of chips; most {}, {}", si_text(static_cast<double>(t.bytes), "B"),
                         t.pairs, si_text(static_cast<double>(t.largest.payload_bytes), "B"),
                         pair_text(links, t.largest.from_chip, t.largest.to_chip)));
}

}  // namespace

std::string link_text(const LinkSummary& links) {
  if (links.count == 0) return "";
  return "\nlinks: one direction each\n" + axis_rows(links) + traffic_row(links) + busiest_rows(links) +
         wrapped_row("  saturated", saturated_text(links));
}

}  // namespace tahoma::runtime
