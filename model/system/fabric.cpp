// SPDX-License-Identifier: Apache-2.0
#include "model/system/fabric.h"

#include <algorithm>

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

void Fabric::connect(std::vector<Router*> chips, sim::Meter& meter,
                     const std::vector<const Renaming*>& names) {
  routers_ = std::move(chips);
  for (std::uint32_t node = topology.chips(); node < topology.nodes(); ++node) {
    switches_.push_back(std::make_unique<Router>(topology.switch_name(node).c_str(), node, shared, meter));
    routers_.push_back(switches_.back().get());
  }
  // A node's inputs are in the order of their senders' ports, so that equal nodes serve equal links in the same turn.
  std::vector<std::vector<LinkPort*>> inputs(topology.nodes());
  for (std::uint32_t from = 0; from < topology.nodes(); ++from) {
    if (!is_simulated(from)) continue;
    for (PortIndex p = 0; p < topology.ports(from); ++p) {
      LinkPort* out = routers_[from]->port(p);
      if (out == nullptr) continue;
      const std::uint32_t to = out->place().to;
      inputs[routers_[to]->node()].push_back(out);
      if (!is_simulated(to)) out->rename_for(*names[to]);
    }
  }
  for (std::uint32_t to = 0; to < topology.nodes(); ++to) {
    std::stable_sort(inputs[to].begin(), inputs[to].end(), [](const LinkPort* a, const LinkPort* b) {
      return a->place().index < b->place().index;
    });
    for (LinkPort* out : inputs[to]) {
      out->wire.bind(routers_[to]->in);
      routers_[to]->expect_link(*out);
    }
  }
}

void Fabric::watch(const PortWitnessMaker& make) {
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    if (!is_simulated(node)) continue;
    for (PortIndex p = 0; p < topology.ports(node); ++p) {
      LinkPort* port = routers_[node]->port(p);
      if (port == nullptr) continue;
      witnesses_.push_back(make({port->name(), shared.params, port->clock(), routers_[node]->buffers()}));
      port->watch(*witnesses_.back());
    }
  }
}

void Fabric::check_ended() const {
  for (const auto& witness : witnesses_) witness->ended();
}

std::vector<base::LinkMeasurement> Fabric::measure(base::Time elapsed) const {
  check_ended();
  std::vector<base::LinkMeasurement> all;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    for (base::LinkMeasurement& link : measure_node(node, elapsed)) all.push_back(std::move(link));
  return all;
}

std::vector<base::LinkMeasurement> Fabric::measure_node(std::uint32_t node, base::Time elapsed) const {
  Router& router = *routers_[node];
  router.check_empty();
  std::vector<base::LinkMeasurement> all;
  for (PortIndex p = 0; p < topology.ports(node); ++p) {
    LinkPort* port = router.port(p);
    if (port == nullptr) continue;
    all.push_back(router.measure(p, elapsed));
    all.back().queue_high_water = routers_[port->place().to]->high_water(*port);
  }
  return all;
}

}  // namespace tahoma::model
