// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/fabric_ways.h"

#include <algorithm>

#include "model/system/machine/fabric.h"

namespace tahoma::model {
namespace {

using base::PortIndex, base::Topology;

constexpr double kIdeal = 1e18;

double data_rate(const Fabric& fabric, const LinkParams& link, std::uint32_t node, PortIndex port) {
  base::Bandwidth rate = link.rate_of(fabric.topology.port(node, port).rate);
  if (const auto fault = fabric.faults.find({node, port}); fault != fabric.faults.end())
    rate = fault->second.bandwidth(rate);
  if (rate.ideal) return kIdeal;
  const std::uint64_t data = link.packet.count;
  return static_cast<double>(rate.bytes_per_second) * static_cast<double>(data) /
         static_cast<double>(link.on_wire(data).count);
}

}  // namespace

FabricWays::FabricWays(const MachineParams& params) {
  const Fabric fabric(params);
  const Topology& topology = fabric.topology;
  axes_ = topology.axes();
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) places_.push_back(topology.at(chip));
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    std::vector<std::uint32_t> behind(topology.ports(node), kNone);
    for (PortIndex port = 0; port < topology.ports(node); ++port) {
      const auto to = topology.neighbour(node, port);
      if (!to) continue;
      behind[port] = static_cast<std::uint32_t>(links_.size());
      const base::PortKind kind = topology.port(node, port);
      links_.push_back({kind.name, *to, data_rate(fabric, params.link, node, port),
                        params.link.wire_of(kind.rate) + params.link.router});
    }
    for (std::uint32_t to = 0; to < topology.chips(); ++to) {
      const bool leads_on = node != to && fabric.routes.way(node, to).exists();
      next_.push_back(leads_on ? behind[fabric.routes.way(node, to).port] : kNone);
      // The port in dimension order stays available beside those of the shortest paths.
      chooses_.push_back(leads_on && params.link.adaptive() &&
                         (fabric.routes.way(node, to).minimal & ~(1U << fabric.routes.way(node, to).port)) !=
                             0);
    }
  }
}

std::uint32_t FabricWays::hops(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t count = 0;
  along(from, to, [&](std::uint32_t) { ++count; });
  return count;
}

base::Duration FabricWays::flight(std::uint32_t from, std::uint32_t to) const {
  base::Duration time{0};
  along(from, to, [&](std::uint32_t link) { time += links_[link].hop; });
  return time;
}

double FabricWays::rate(std::uint32_t from, std::uint32_t to) const {
  double least = kIdeal;
  along(from, to, [&](std::uint32_t link) { least = std::min(least, links_[link].rate); });
  return least;
}

}  // namespace tahoma::model
