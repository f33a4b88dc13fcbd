// SPDX-License-Identifier: Apache-2.0
#include "model/link/flits/flit_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "isa/core/mixing.h"
#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::PortIndex, base::Time;

namespace {

// A bit of a packet at a node that is as good as random, and the same in every run.
bool draw(const sim::PacketInfo& info, std::uint32_t node) {
  const std::uint64_t packet = (std::uint64_t{info.source_core} << 32 | info.sequence) * isa::kMixingStep;
  return isa::mixed(packet + (std::uint64_t{info.engine} << 32 | node)) >> 63 != 0;
}

}  // namespace

// A flit is delayed by the switch, the traversal and the wire, one that a chip sends by its cycle and the
// wire; a credit by the switch of the flit that makes room and the wire back. A chip takes a flit when it
// arrives, and returns the credit in that cycle.
FlitNetwork::FlitNetwork(sc_core::sc_module_name name, const Router::Fabric& fabric,
                         std::vector<FlitGate*> gates, sim::Meter& meter)
    : sc_module(name),
      fabric_(fabric),
      law_(fabric.params),
      routing_(fabric.topology, fabric.routes, fabric.params.axis_order(), law_.vcs),
      gates_(std::move(gates)),
      meter_(meter),
      nodes_(fabric.topology.nodes()),
      on_links_(2 + law_.wire),
      from_chips_(1 + law_.local_wire),
      link_credits_(1 + law_.wire),
      chip_credits_(2 + law_.local_wire + 1 + law_.local_wire),
      gate_credits_(1 + law_.local_wire) {
  build_nodes();
  for (FlitGate* gate : gates_) gate->connect([this] { offered(); });
}

// A node's inputs are in the order of their senders' ports.
void FlitNetwork::build_nodes() {
  for (std::uint32_t from = 0; from < nodes_.size(); ++from)
    for (PortIndex p = 0; p < fabric_.topology.ports(from); ++p)
      if (const auto place = Router::place_of(fabric_, from, p)) nodes_[place->to].senders.push_back(*place);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) build_router(node);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node)
    nodes_[node].wires.resize(fabric_.topology.ports(node));
  for (const Node& node : nodes_)
    for (std::uint32_t input = 0; input < node.senders.size(); ++input) {
      const LinkPort::Place& place = node.senders[input];
      const std::string path = fmt::format("{}.{}", gates_[place.from]->name(),
                                           fabric_.topology.port(place.from, place.index).name);
      nodes_[place.from].wires[place.index] = std::make_unique<FlitWire>(place, path, input, law_.vcs);
    }
}

void FlitNetwork::build_router(std::uint32_t node) {
  std::vector<LinkPort::Place>& senders = nodes_[node].senders;
  std::stable_sort(senders.begin(), senders.end(),
                   [](const LinkPort::Place& a, const LinkPort::Place& b) { return a.index < b.index; });
  const FlitRouter::Shape shape{static_cast<std::uint32_t>(senders.size()) + 1,
                                fabric_.topology.ports(node) + 1, law_.vcs, law_.room};
  nodes_[node].router = std::make_unique<FlitRouter>(
      shape, [this, node](std::uint32_t input, const Flit& head) { return route(node, input, head); });
}

FlitWay FlitNetwork::route(std::uint32_t node, std::uint32_t input, const Flit& head) const {
  const std::vector<LinkPort::Place>& senders = nodes_[node].senders;
  const char axis = input < senders.size() ? senders[input].axis : FlitRouting::kFromChip;
  const sim::PacketInfo& info = sim::info_of(*head.packet);
  return routing_.way(node, axis, head.vc, info.to_chip, draw(info, node));
}

// A network that was asleep goes on with the cycle that contains this moment.
void FlitNetwork::offered() {
  if (packets_++ > 0 || !all_arrived()) return;
  cycle_ = law_.cycle_at(sim::now());
  wake_.at(law_.start_of(cycle_ + 1));
}

void FlitNetwork::wake() {
  meter_.guard(name(), [this] { step(); });
}

void FlitNetwork::step() {
  ++meter_.link_activations;
  deliver();
  const bool sent = send_from_chips();
  const bool advanced = step_routers();
  check_progress(sent || advanced || !all_arrived());
  ++cycle_;
  for (FlitGate* gate : gates_) gate->grant();
  if (packets_ > 0 || !all_arrived()) wake_.at(law_.start_of(cycle_ + 1));
}

void FlitNetwork::deliver() {
  const auto enter = [this](const ToRouter& t) { nodes_[t.node].router->arrive(t.input, t.flit); };
  const auto credit = [this](const Credit& c) { nodes_[c.node].router->credit(c.output, c.vc); };
  on_links_.arrived(cycle_, enter);
  from_chips_.arrived(cycle_, enter);
  link_credits_.arrived(cycle_, credit);
  chip_credits_.arrived(cycle_, credit);
  gate_credits_.arrived(cycle_, [this](const Credit& c) { gates_[c.node]->credit(c.vc); });
}

bool FlitNetwork::send_from_chips() {
  bool any = false;
  for (FlitGate* gate : gates_) {
    const auto flit = gate->send(cycle_);
    if (!flit) continue;
    any = true;
    const auto chip_input = static_cast<std::uint32_t>(nodes_[gate->node()].senders.size());
    from_chips_.send(cycle_, {gate->node(), chip_input, *flit});
  }
  return any;
}

bool FlitNetwork::step_routers() {
  bool any = false;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    FlitRouter& router = *nodes_[node].router;
    if (router.empty()) continue;
    for (const FlitRouter::Departure& departure : router.step()) forward(node, departure);
    for (const std::uint32_t output : router.starved())
      if (output < nodes_[node].wires.size()) nodes_[node].wires[output]->starve(cycle_length());
    any = any || router.advanced();
  }
  return any;
}

void FlitNetwork::forward(std::uint32_t node, const FlitRouter::Departure& departure) {
  return_credit(node, departure);
  const Flit& flit = departure.flit;
  if (departure.output < nodes_[node].wires.size()) {
    FlitWire& wire = *nodes_[node].wires[departure.output];
    const std::uint64_t flits = law_.flits_of(fabric_.params, sim::info_of(*flit.packet).carried);
    wire.send(flit, law_.start_of(cycle_ + 1), law_.start_of(cycle_ + 2), flits * law_.flit.count, meter_);
    on_links_.send(cycle_, {wire.to(), wire.input(), flit});
    return;
  }
  chip_credits_.send(cycle_, {node, departure.output, flit.vc});
  if (flit.tail) --packets_;
  gates_[node]->land(flit, law_.start_of(cycle_ + 2 + law_.local_wire));
}

void FlitNetwork::return_credit(std::uint32_t node, const FlitRouter::Departure& departure) {
  const std::vector<LinkPort::Place>& senders = nodes_[node].senders;
  if (departure.input == senders.size()) {
    gate_credits_.send(cycle_, {node, 0, departure.input_vc});
    return;
  }
  const LinkPort::Place& from = senders[departure.input];
  link_credits_.send(cycle_, {from.from, from.index, departure.input_vc});
  if (departure.flit.tail) nodes_[from.from].wires[from.index]->packet_left();
}

// Without this check, a network in which flits wait for each other would run for ever.
void FlitNetwork::check_progress(bool moved) const {
  const auto waits_for_data = [this](const FlitGate* gate) {
    return !gate->empty() && !gate->waits_for_credit(cycle_);
  };
  TAHOMA_INVARIANT(moved || packets_ == 0 || std::any_of(gates_.begin(), gates_.end(), waits_for_data),
                   fmt::format("{}: the flits of {} packets wait for each other", name(), packets_));
}

bool FlitNetwork::all_arrived() const {
  return on_links_.empty() && from_chips_.empty() && link_credits_.empty() && chip_credits_.empty() &&
         gate_credits_.empty();
}

std::vector<MeasuredLink> FlitNetwork::measure_node(std::uint32_t node, Time elapsed) const {
  TAHOMA_INVARIANT(
      packets_ == 0 && all_arrived() && nodes_[node].router->at_rest() && gates_[node]->at_rest(),
      fmt::format("{}: flits or credits are left", gates_[node]->name()));
  std::vector<MeasuredLink> all;
  for (PortIndex p = 0; p < nodes_[node].wires.size(); ++p) {
    if (nodes_[node].wires[p] == nullptr) continue;
    all.push_back({p, nodes_[node].wires[p]->measure(elapsed)});
    all.back().link.queue_full = gates_[node]->queue_full(p);
  }
  return all;
}

}  // namespace tahoma::model
