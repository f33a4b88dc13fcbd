// SPDX-License-Identifier: Apache-2.0
#include "model/system/fabric.h"

namespace tahoma::model {
namespace {

Topology topology_of(const MachineParams& p) {
  return {p.link.kind(),
          {static_cast<std::uint32_t>(p.torus.x), static_cast<std::uint32_t>(p.torus.y),
           static_cast<std::uint32_t>(p.torus.z)}};
}

}  // namespace

DeadLinks dead_links(const MachineParams&, const Topology&) { return {}; }

Router::Rates link_rates(const MachineParams&, const Topology&) { return {}; }

Fabric::Fabric(const MachineParams& params)
    : topology(topology_of(params)),
      dead(dead_links(params, topology)),
      rates(link_rates(params, topology)),
      routes(topology, params.link.axes(), dead),
      shared{params.link, topology, routes, dead, rates} {}

void Fabric::connect(std::vector<Router*> chips, sim::Meter& meter) {
  routers_ = std::move(chips);
  if (!topology.is_grid()) {
    switch_ = std::make_unique<Router>("switch", topology.chips(), shared, meter);
    routers_.push_back(switch_.get());
  }
  for (std::uint32_t from = 0; from < topology.nodes(); ++from) {
    for (PortIndex p = 0; p < topology.ports(from); ++p) {
      LinkPort* out = routers_[from]->port(p);
      if (out == nullptr) continue;
      Router& to = *routers_[out->place().to];
      out->wire.bind(to.in);
      to.expect_link(*out);
    }
  }
}

std::vector<base::LinkMeasurement> Fabric::measure(base::Time elapsed) const {
  std::vector<base::LinkMeasurement> all;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    routers_[node]->check_empty();
    for (PortIndex p = 0; p < topology.ports(node); ++p) {
      LinkPort* port = routers_[node]->port(p);
      if (port == nullptr) continue;
      all.push_back(routers_[node]->measure(p, elapsed));
      all.back().queue_high_water = routers_[port->place().to]->high_water(*port);
    }
  }
  return all;
}

}  // namespace tahoma::model
