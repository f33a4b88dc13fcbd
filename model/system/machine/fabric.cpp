// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/fabric.h"

#include <algorithm>
#include <utility>

#include "model/base/error.h"
#include "model/base/statistics_walk.h"
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
      switch_ports(topology),
      faults(faults_of(params, topology)),
      routes(topology, params.link.axis_order(), dead_among(faults)),
      shared{params.link, topology, routes, faults} {}

std::unique_ptr<FabricNode> Fabric::make_node(const char* name, std::uint32_t chip, sim::Meter& meter) {
  if (shared.params.sends_flits()) {
    auto gate = std::make_unique<FlitGate>(name, chip, shared);
    gates_.push_back(gate.get());
    return gate;
  }
  auto router = std::make_unique<Router>(name, chip, shared, meter, [&](PortIndex) { return &meter; });
  made_.resize(topology.chips());
  made_[chip] = router.get();
  return router;
}

void Fabric::connect(const std::vector<const FabricNode*>& chips, sim::Meter& meter, FoldedLinks links,
                     Cut* cut) {
  if (shared.params.sends_flits()) {
    TAHOMA_INVARIANT(gates_.size() == topology.nodes() && cut == nullptr, "flits of a part of a machine");
    sim::Agenda::of_process().number_behind_chip();
    flits_ = std::make_unique<FlitNetwork>("flits", shared, gates_, meter);
    return;
  }
  for (const FabricNode* node : chips) routers_.push_back(node == nullptr ? nullptr : made_[node->node()]);
  links_ = std::move(links);
  connect_routers(meter, cut);
}

void Fabric::connect_routers(sim::Meter& meter, Cut* cut) {
  add_switches(meter, cut);
  const std::vector<std::vector<LinkPort::Place>> inputs = senders();
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    if (is_simulated(node)) bind_inputs(node, inputs[node], cut);
  if (cut == nullptr) return;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node)
    for (PortIndex p = 0; is_simulated(node) && p < topology.ports(node); ++p)
      if (LinkPort* port = routers_[node]->port(p)) leave(*port, *cut);
}

// Binds the port to the cut if its far end is in another process.
void Fabric::leave(LinkPort& port, Cut& cut) {
  const std::uint32_t to = links_.far_node(port.place());
  if (routers_[to] != nullptr) return;
  if (const Renaming* names = links_.far_names(port.place())) port.rename_for(*names);
  port.wire.bind(cut.exit_of(port.place(), to).wire);
}

void Fabric::add_switches(sim::Meter& meter, const Cut* cut) {
  sim::Agenda::of_process().number_behind_chip();
  const std::vector<bool> used = links_.used_nodes(shared);
  for (std::uint32_t node = topology.chips(); node < topology.nodes(); ++node) {
    routers_.push_back(nullptr);
    if ((cut != nullptr && !cut->is_here(node)) || !used[node]) continue;
    const auto meter_of = [&](PortIndex p) -> sim::Meter* {
      if (!links_.simulated(shared, {node, p})) return nullptr;
      return meter_of_[{node, p}] = &meters_.emplace_back(meter.part());
    };
    switches_.push_back(
        std::make_unique<Router>(topology.switch_name(node).c_str(), node, shared, meter, meter_of));
    routers_.back() = switches_.back().get();
    links_.stand_in_for_ports(*switches_.back());
  }
}

// A node's inputs are in the order of their senders' ports, so that equal nodes serve equal links in the same
// turn.
std::vector<std::vector<LinkPort::Place>> Fabric::senders() const {
  std::vector<std::vector<LinkPort::Place>> inputs(topology.nodes());
  for (std::uint32_t from = 0; from < topology.nodes(); ++from) {
    for (PortIndex p = 0; p < topology.ports(from); ++p) {
      const auto place = links_.simulated(shared, {from, p});
      if (place && routers_[links_.far_node(*place)] != nullptr)
        inputs[links_.far_node(*place)].push_back(*place);
    }
  }
  for (std::vector<LinkPort::Place>& of_node : inputs)
    std::stable_sort(of_node.begin(), of_node.end(),
                     [](const LinkPort::Place& a, const LinkPort::Place& b) { return a.index < b.index; });
  return inputs;
}

void Fabric::bind_inputs(std::uint32_t node, const std::vector<LinkPort::Place>& senders, Cut* cut) {
  for (const LinkPort::Place& sender : senders) {
    const Renaming* names = links_.far_names(sender);
    const std::uint32_t behind = names == nullptr ? sender.from : names->chip(sender.from);
    const PortIndex back = node < topology.chips() ? 0 : switch_ports.to(node, behind);
    if (routers_[sender.from] == nullptr) {
      LinkEntrance& entrance = cut->entrance_of(sender);
      entrance.router.bind(routers_[node]->in);
      routers_[node]->expect_link(entrance.sender(), back);
      continue;
    }
    LinkPort& out = *routers_[sender.from]->port(sender.index);
    if (names != nullptr) out.rename_for(*names);
    out.wire.bind(routers_[node]->in);
    routers_[node]->expect_link(out.place(), back);
  }
}

void Fabric::observe(const sim::Meter& meter) {
  for (sim::Meter& part : meters_) part.observe_as(meter);
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
    for (MeasuredLink& measured : measure_node(node, elapsed)) all.push_back(std::move(measured.link));
  return all;
}

std::vector<MeasuredLink> Fabric::measure_node(std::uint32_t node, base::Time elapsed) const {
  if (flits_) return flits_->measure_node(node, elapsed);
  std::vector<MeasuredLink> all;
  if (routers_[node] == nullptr) return all;
  Router& router = *routers_[node];
  router.check_empty();
  for (PortIndex p = 0; p < topology.ports(node); ++p) {
    LinkPort* port = router.port(p);
    if (port == nullptr) continue;
    all.push_back({p, router.measure(p, elapsed)});
    const Router* to = routers_[links_.far_node(port->place())];
    if (to != nullptr) all.back().link.queue_high_water = to->high_water(port->place());
  }
  return all;
}

base::LinkMeasurement Fabric::unused_link(const base::LinkId& link) const {
  const auto place = Router::place_of(shared, link.first, link.second);
  TAHOMA_INVARIANT(place.has_value(), "an unused link does not exist");
  const std::string path =
      switch_link_name(topology.switch_name(link.first), topology.port(link.first, link.second).name);
  return LinkCounter().measure({path, place->from, place->to, place->axis},
                               sim::BandwidthServer(place->rate));
}

std::vector<Fabric::HighWater> Fabric::high_waters() const {
  std::vector<HighWater> all;
  if (flits_) return all;
  for (std::uint32_t from = 0; from < topology.nodes(); ++from)
    for (PortIndex p = 0; routers_[from] == nullptr && p < topology.ports(from); ++p) {
      const auto place = links_.simulated(shared, {from, p});
      const Router* to = place ? routers_[links_.far_node(*place)] : nullptr;
      if (to != nullptr) all.push_back({from, p, to->high_water(*place)});
    }
  return all;
}

base::RunCounts Fabric::switch_counts() const {
  base::RunCounts all;
  for (std::uint32_t node = topology.chips(); node < topology.nodes() && !flits_; ++node)
    for (PortIndex p = 0; p < topology.ports(node); ++p) {
      const auto known = meter_of_.find(links_.simulated_for({node, p}));
      if (known != meter_of_.end())
        base::add_counters(all, static_cast<const base::RunCounts&>(*known->second));
    }
  return all;
}

}  // namespace tahoma::model
