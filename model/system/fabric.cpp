// SPDX-License-Identifier: Apache-2.0
#include "model/system/fabric.h"

#include <algorithm>
#include <utility>

#include "model/base/error.h"
#include "model/sim/wake.h"

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

std::unique_ptr<FabricNode> Fabric::make_node(const char* name, std::uint32_t chip, sim::Meter& meter) {
  if (shared.params.sends_flits()) {
    auto gate = std::make_unique<FlitGate>(name, chip, shared);
    gates_.push_back(gate.get());
    return gate;
  }
  auto router = std::make_unique<Router>(name, chip, shared, meter);
  made_.resize(topology.chips());
  made_[chip] = router.get();
  return router;
}

void Fabric::connect(const std::vector<const FabricNode*>& chips, sim::Meter& meter,
                     std::vector<const Renaming*> names, Cut* cut) {
  if (shared.params.sends_flits()) {
    TAHOMA_INVARIANT(gates_.size() == topology.nodes() && cut == nullptr, "flits of a part of a machine");
    sim::Agenda::of_process().number_behind_chip();
    flits_ = std::make_unique<FlitNetwork>("flits", shared, gates_, meter);
    return;
  }
  for (const FabricNode* node : chips) routers_.push_back(node == nullptr ? nullptr : made_[node->node()]);
  names_ = std::move(names);
  connect_routers(meter, cut);
}

void Fabric::connect_routers(sim::Meter& meter, Cut* cut) {
  add_switches(meter, cut);
  const std::vector<std::vector<LinkPort::Place>> inputs = senders();
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    if (is_simulated(node)) bind_inputs(node, inputs[node], cut);
  if (cut == nullptr) return;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    for (PortIndex p = 0; is_simulated(node) && p < topology.ports(node); ++p) {
      LinkPort* port = routers_[node]->port(p);
      if (port != nullptr && routers_[port->place().to] == nullptr) leave(*port, *cut);
    }
}

void Fabric::leave(LinkPort& port, Cut& cut) {
  const std::uint32_t to = port.place().to;
  if (is_represented(to)) port.rename_for(*names_[to]);
  port.wire.bind(cut.exit_of(port.place()).wire);
}

void Fabric::add_switches(sim::Meter& meter, const Cut* cut) {
  sim::Agenda& agenda = sim::Agenda::of_process();
  agenda.number_behind_chip();
  for (std::uint32_t node = topology.chips(); node < topology.nodes(); ++node) {
    const bool here = cut == nullptr || cut->is_here(node);
    if (here)
      switches_.push_back(std::make_unique<Router>(topology.switch_name(node).c_str(), node, shared, meter));
    routers_.push_back(here ? switches_.back().get() : nullptr);
    for (PortIndex p = 0; !here && p < topology.ports(node); ++p)
      if (Router::place_of(shared, node, p)) agenda.skip_numbers(1);
  }
}

// A node's inputs are in the order of their senders' ports, so that equal nodes serve equal links in the same turn.
std::vector<std::vector<LinkPort::Place>> Fabric::senders() const {
  std::vector<std::vector<LinkPort::Place>> inputs(topology.nodes());
  for (std::uint32_t from = 0; from < topology.nodes(); ++from) {
    if (is_represented(from)) continue;
    for (PortIndex p = 0; p < topology.ports(from); ++p) {
      const auto place = Router::place_of(shared, from, p);
      if (place && routers_[place->to] != nullptr) inputs[routers_[place->to]->node()].push_back(*place);
    }
  }
  for (std::vector<LinkPort::Place>& of_node : inputs)
    std::stable_sort(of_node.begin(), of_node.end(),
                     [](const LinkPort::Place& a, const LinkPort::Place& b) { return a.index < b.index; });
  return inputs;
}

void Fabric::bind_inputs(std::uint32_t node, const std::vector<LinkPort::Place>& senders, Cut* cut) {
  for (const LinkPort::Place& sender : senders) {
    if (routers_[sender.from] == nullptr) {
      LinkEntrance& entrance = cut->entrance_of(sender);
      entrance.router.bind(routers_[node]->in);
      routers_[node]->expect_link(entrance.sender());
      continue;
    }
    LinkPort& out = *routers_[sender.from]->port(sender.index);
    if (is_represented(sender.to)) out.rename_for(*names_[sender.to]);
    out.wire.bind(routers_[node]->in);
    routers_[node]->expect_link(out.place());
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
  if (flits_) return flits_->measure_node(node, elapsed);
  std::vector<base::LinkMeasurement> all;
  if (routers_[node] == nullptr) return all;
  Router& router = *routers_[node];
  router.check_empty();
  for (PortIndex p = 0; p < topology.ports(node); ++p) {
    LinkPort* port = router.port(p);
    if (port == nullptr) continue;
    all.push_back(router.measure(p, elapsed));
    const Router* to = routers_[port->place().to];
    if (to != nullptr) all.back().queue_high_water = to->high_water(port->place());
  }
  return all;
}

std::vector<Fabric::HighWater> Fabric::high_waters() const {
  std::vector<HighWater> all;
  if (flits_) return all;
  for (std::uint32_t from = 0; from < topology.nodes(); ++from)
    for (PortIndex p = 0; is_elsewhere(from) && p < topology.ports(from); ++p) {
      const auto place = Router::place_of(shared, from, p);
      if (place && routers_[place->to] != nullptr)
        all.push_back({from, p, routers_[place->to]->high_water(*place)});
    }
  return all;
}

}  // namespace tahoma::model
