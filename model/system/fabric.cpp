// SPDX-License-Identifier: Apache-2.0
#include "model/system/fabric.h"

namespace tahoma::model {

using base::PortIndex, base::Topology;

namespace {

// The links of `node` that lead to a dead chip.
void mark_dead(const Topology& topology, std::uint32_t node, std::uint32_t chip, Router::Faults& all) {
  for (PortIndex port = 0; port < topology.ports(node); ++port)
    if (topology.neighbour(node, port) == chip) all[{node, port}].dead = true;
}

// A port to a dead chip is dead, whatever else is set for it.
void add_switch(const MachineParams& p, const Topology& topology, std::uint32_t node, Router::Faults& all) {
  for (PortIndex port = 0; port < topology.ports(node); ++port) {
    LinkFaults faults = p.faults_of_switch_link(topology.switch_name(node), topology.port(node, port).name);
    const auto to = topology.neighbour(node, port);
    faults.dead = faults.dead || (to && *to < topology.chips() && p.is_dead(*to));
    if (faults.dead || faults.rate < 1) all[{node, port}] = faults;
  }
}

Router::Faults faults_of(const MachineParams& p, const Topology& topology) {
  Router::Faults all;
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip)
    for (PortIndex port = 0; port < topology.ports(chip); ++port) {
      const LinkFaults faults = p.faults_of_link(chip, topology.port(chip, port).name);
      if (faults.dead || faults.rate < 1) all[{chip, port}] = faults;
      const auto to = topology.neighbour(chip, port);
      if (to && p.is_dead(chip)) mark_dead(topology, *to, chip, all);
    }
  for (std::uint32_t node = topology.chips(); node < topology.nodes(); ++node)
    add_switch(p, topology, node, all);
  return all;
}

base::DeadLinks dead_among(const Router::Faults& faults) {
  base::DeadLinks dead;
  for (const auto& [link, fault] : faults)
    if (fault.dead) dead.insert(link);
  return dead;
}

}  // namespace

Fabric::Fabric(const MachineParams& params)
    : geometry_(topology_of(params)),
      topology(*geometry_),
      faults(faults_of(params, topology)),
      routes(topology, params.link.axis_order(), dead_among(faults)),
      shared{params.link, topology, routes, faults} {}

void Fabric::connect(std::vector<Router*> chips, sim::Meter& meter) {
  routers_ = std::move(chips);
  for (std::uint32_t node = topology.chips(); node < topology.nodes(); ++node) {
    switches_.push_back(std::make_unique<Router>(topology.switch_name(node).c_str(), node, shared, meter));
    routers_.push_back(switches_.back().get());
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

void Fabric::watch(const PortWitnessMaker& make) {
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    for (PortIndex p = 0; p < topology.ports(node); ++p) {
      LinkPort* port = routers_[node]->port(p);
      if (port == nullptr) continue;
      witnesses_.push_back(make({port->name(), shared.params, port->clock(), routers_[node]->buffers()}));
      port->watch(*witnesses_.back());
    }
  }
}

std::vector<base::LinkMeasurement> Fabric::measure(base::Time elapsed) const {
  for (const auto& witness : witnesses_) witness->ended();
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
