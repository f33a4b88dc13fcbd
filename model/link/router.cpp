// SPDX-License-Identifier: Apache-2.0
#include "model/link/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::PortIndex, base::Time, base::Topology, base::Way;

Router::Router(sc_core::sc_module_name name, std::uint32_t node, const Fabric& fabric, sim::Meter& meter,
               const MeterOf& meter_of)
    : FabricNode(name, node), fabric_(fabric), meter_(meter), from_chip_(fabric.params.local) {
  in.register_nb_transport_fw(this, &Router::on_request);
  const Topology& topology = fabric.topology;
  const LinkParams& params = fabric.params;
  ports_.resize(topology.ports(node));
  for (PortIndex p = 0; p < ports_.size(); ++p) {
    const auto place = place_of(fabric, node, p);
    sim::Meter* of_port = place ? meter_of(p) : nullptr;
    if (of_port != nullptr)
      ports_[p] = std::make_unique<LinkPort>(topology.port(node, p).name.c_str(), *place, params,
                                             static_cast<PacketSource&>(*this), *of_port);
  }
  requests_.resize(ports_.size() + 1);
  if (node >= topology.chips()) {
    switch_ = std::make_unique<SwitchStage>(topology, node, static_cast<std::uint32_t>(params.vcs), this,
                                            [](void* router) { static_cast<Router*>(router)->settle(); });
    for (PortRequests& r : requests_) r.resize(switch_->slots());
    return;
  }
  LinkPort::Place place;
  place.index = static_cast<PortIndex>(ports_.size());
  place.from = place.to = node;
  place.rate = params.local;
  to_chip_ = std::make_unique<LinkPort>("to_chip", place, params, static_cast<PacketSource&>(*this), meter);
}

std::optional<LinkPort::Place> Router::place_of(const Fabric& fabric, std::uint32_t node, PortIndex p) {
  const LinkParams& params = fabric.params;
  const auto to = fabric.topology.neighbour(node, p);
  const auto known = fabric.faults.find({node, p});
  const LinkFaults faults = known == fabric.faults.end() ? LinkFaults{} : known->second;
  if (!to || faults.dead) return std::nullopt;
  const base::PortKind kind = fabric.topology.port(node, p);
  return LinkPort::Place{p,
                         node,
                         *to,
                         kind.axis,
                         faults.bandwidth(params.rate_of(kind.rate)),
                         params.wire_of(kind.rate),
                         params.router,
                         params.buffer_of(kind.rate).count};
}

// A packet was sent to the input. Only departures before then count, whatever is simulated first at that
// time.
void Router::Input::count(Time sent) {
  for (; !departures.empty() && departures.front() < sent; departures.pop()) --packets;
  high_water = std::max(high_water, ++packets);
}

void Router::expect_link(const LinkPort::Place& sender, PortIndex back) {
  inputs_.push_back({&sender, back, static_cast<std::uint32_t>(buffers_.size()), 0, 0, {}});
  add_buffers(fabric_.params.vcs);
}

// Adds buffers to the latest input. At a chip, buffers take turns in their order.
void Router::add_buffers(std::uint64_t count) {
  for (std::uint64_t n = 0; n < count; ++n) {
    const auto slot = static_cast<std::uint32_t>(buffers_.size());
    Buffer& b = buffers_.emplace_back();
    b.input = static_cast<std::uint32_t>(inputs_.size() - 1);
    b.slot = slot;
  }
  for (PortRequests& r : requests_)
    if (!switch_) r.resize(buffers_.size());
}

void Router::bind_chip(tlm::tlm_initiator_socket<>& inject, tlm::tlm_target_socket<>& landed) {
  inject.bind(in);
  to_chip_->wire.bind(landed);
  first_own_ = static_cast<std::uint32_t>(buffers_.size());
  inputs_.push_back({nullptr, 0, first_own_, 0, 0, {}});
  add_buffers(requests_.size());
  own_.resize(requests_.size());
}

tlm::tlm_sync_enum Router::on_request(int input, sim::Payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time&) {
  TAHOMA_INVARIANT(phase == tlm::BEGIN_REQ, std::string(name()) + ": unexpected phase");
  Input& from = inputs_.at(static_cast<std::size_t>(input));
  if (from.sender == nullptr) {
    if (!take_own(payload)) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  const sim::PacketInfo& info = sim::info_of(payload);
  from.count(info.head - from.sender->hop());
  enter(from.first_buffer + info.vc, payload);
  return tlm::TLM_ACCEPTED;
}

PortIndex Router::own_port(const sim::Payload& payload) const {
  const Way way = way_of(payload);
  if (way.exists()) return way.port;
  const sim::PacketInfo& info = sim::info_of(payload);
  throw base::UserError(
      "E-RUN-056", "machine.instances",
      fmt::format(
          "chip {} cannot reach chip {}: dead links or chips block every path that dimension order {} "
          "permits; expected one path around them",
          info.from_chip, info.to_chip, name_of(fabric_.params.order)));
}

// Accepts a packet of the chip itself: returns true if there is room for it.
bool Router::take_own(sim::Payload& payload) {
  const PortIndex port = own_port(payload);
  const Buffer& queue = buffers_[first_own_ + port];
  OwnQueue& own = own_[port];
  const std::uint64_t bytes = fabric_.params.on_wire(sim::info_of(payload).carried).count;
  if (own.refused.empty() && queue.bytes + bytes <= fabric_.params.buffer.count) {
    enter(first_own_ + port, payload);
    return true;
  }
  if (own.refused.empty()) own.refused_since = sim::now();
  own.refused.push(&payload);
  return false;
}

void Router::enter(std::uint32_t buffer, sim::Payload& payload) {
  payload.acquire();
  sim::PacketInfo& info = sim::info_of(payload);
  Buffer& b = buffers_[buffer];
  const base::Bytes bytes = fabric_.params.on_wire(info.carried);
  if (inputs_[b.input].sender == nullptr) {
    const auto slot = from_chip_.reserve(info.head, bytes);
    info.head = slot.start;
    info.tail = std::max(slot.end, info.tail);
  }
  b.bytes += bytes.count;
  b.packets.push(&payload);
  if (b.packets.size() == 1) request(buffer);
}

// There is room in front of a port again: grants it to the waiting packets, in order.
void Router::grant_refused(PortIndex port) {
  OwnQueue& own = own_[port];
  if (own.refused.empty()) return;
  while (!own.refused.empty()) {
    sim::Payload& payload = *own.refused.front();
    const std::uint64_t bytes = fabric_.params.on_wire(sim::info_of(payload).carried).count;
    if (buffers_[first_own_ + port].bytes + bytes > fabric_.params.buffer.count) return;
    own.refused.pop();
    payload.acquire();  // the sender releases it in the grant
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    in[static_cast<int>(inputs_.size()) - 1]->nb_transport_bw(payload, phase, delay);
    enter(first_own_ + port, payload);
    payload.release();
  }
  own.full += sim::now() - own.refused_since;
}

Way Router::way_of(const sim::Payload& payload) const {
  const std::uint32_t to = sim::info_of(payload).to_chip;
  if (to == node()) return {static_cast<PortIndex>(ports_.size()), 0, 0};
  Way way = fabric_.routes.way(node(), to);
  if (!fabric_.params.adaptive()) way.minimal = 0;
  return way;
}

// Returns the way of the first packet of the buffer, with the names of the port that stands for its own; sets
// its slot there.
Way Router::way_at_switch(std::uint32_t buffer) {
  Buffer& b = buffers_[buffer];
  sim::Payload& payload = *b.packets.front();
  const Way way = way_of(payload);
  const Input& input = inputs_[b.input];
  b.slot = switch_->slot(input.back, buffer - input.first_buffer, way.port);
  const Renaming* names = switch_->names(way.port);
  if (names == nullptr) return way;
  names->rename(payload);
  return way_of(payload);
}

// The first packet of the buffer requests its ports.
void Router::request(std::uint32_t buffer) {
  Buffer& b = buffers_[buffer];
  sim::Payload& payload = *b.packets.front();
  b.way = switch_ ? way_at_switch(buffer) : way_of(payload);
  const sim::PacketInfo& info = sim::info_of(payload);
  const Time head = std::max(info.head, sim::now());
  const auto ask = [&](PortIndex port) {
    requests_[port].set(b.slot, buffer);
    port_at(port).ask(buffer, vc_in_order(b), info, head);
  };
  ask(b.way.port);
  for (std::uint32_t more = b.way.minimal; more != 0; more &= more - 1)
    ask(static_cast<PortIndex>(std::countr_zero(more)));
}

void Router::withdraw(std::uint32_t buffer) {
  const Buffer& b = buffers_[buffer];
  requests_[b.way.port].clear(b.slot);
  for (std::uint32_t more = b.way.minimal; more != 0; more &= more - 1)
    requests_[static_cast<std::size_t>(std::countr_zero(more))].clear(b.slot);
}

Departure Router::departure(const LinkPort& port) {
  Departure found;
  PortRequests& requests = requests_[port.place().index];
  if (requests.serve([&](std::uint32_t buffer) { return consider(buffer, port, found); }))
    found.next = next_head(requests);
  return found;
}

// Returns when the first packet of a buffer that is not served now has arrived.
Time Router::next_head(const PortRequests& requests) const {
  Time next = base::kNever;
  requests.each_other([&](std::uint32_t buffer) {
    next = std::min(next, sim::info_of(*buffers_[buffer].packets.front()).head);
  });
  return next;
}

bool Router::consider(std::uint32_t buffer, const LinkPort& port, Departure& found) const {
  sim::Payload& packet = *buffers_[buffer].packets.front();
  const Time head = sim::info_of(packet).head;
  if (head > sim::now()) {
    found.next = std::min(found.next, head);
    return false;
  }
  if (!find_vc(buffers_[buffer], port, found.vc)) {
    found.starved = true;
    return false;
  }
  found.starved = false;
  found.packet = &packet;
  found.buffer = buffer;
  return true;
}

// In dimension order the channels of a class are distributed over the DMA engines, so that the packets of one
// engine arrive in order.
std::uint8_t Router::vc_in_order(const Buffer& buffer) const {
  const sim::PacketInfo& info = sim::info_of(*buffer.packets.front());
  const unsigned share = static_cast<unsigned>(fabric_.params.vcs) / fabric_.routes.vc_classes();
  return static_cast<std::uint8_t>(buffer.way.vc_class * share + (info.source_core + info.engine) % share);
}

// Finds a virtual channel with room for the packet. The first channel of each class is the escape of adaptive
// routing.
bool Router::find_vc(const Buffer& buffer, const LinkPort& port, std::uint8_t& vc) const {
  const sim::PacketInfo& info = sim::info_of(*buffer.packets.front());
  const std::uint64_t bytes = fabric_.params.on_wire(info.carried).count;
  const unsigned classes = fabric_.routes.vc_classes(), vcs = static_cast<unsigned>(fabric_.params.vcs);
  const PortIndex index = port.place().index;
  if (index == ports_.size()) return true;
  if (!fabric_.params.adaptive()) {
    vc = vc_in_order(buffer);
    return port.room(vc) >= bytes;
  }
  if ((buffer.way.minimal >> index & 1) != 0) {
    vc = static_cast<std::uint8_t>(classes);
    for (unsigned other = classes + 1; other < vcs; ++other)
      if (port.room(static_cast<std::uint8_t>(other)) > port.room(vc)) vc = static_cast<std::uint8_t>(other);
    if (port.room(vc) >= bytes) return true;
  }
  vc = buffer.way.vc_class;
  return index == buffer.way.port && port.room(vc) >= bytes;
}

void Router::depart(const Departure& departure, Time tail) {
  withdraw(departure.buffer);
  Buffer& b = buffers_[departure.buffer];
  b.packets.pop();
  b.bytes -= fabric_.params.on_wire(sim::info_of(*departure.packet).carried).count;
  Input& input = inputs_[b.input];
  if (input.sender == nullptr) {
    grant_refused(departure.buffer - first_own_);
  } else {
    input.departures.push(sim::now());
    give_back(input, static_cast<int>(b.input), *departure.packet, sim::now(), tail);
  }
  if (b.packets.empty()) return;
  if (switch_)
    switch_->moved_up(departure.buffer);
  else
    request(departure.buffer);
}

void Router::settle() {
  meter_.guard(name(), [this] {
    for (const std::uint32_t buffer : switch_->take_moved_up()) request(buffer);
  });
}

// The room is free when data that arrives at the rate of its link cannot overtake data that still leaves.
void Router::give_back(const Input& input, int number, sim::Payload& payload, Time head, Time tail) {
  const base::Bytes bytes = fabric_.params.on_wire(sim::info_of(payload).carried);
  const Time filled = tail - input.sender->rate.time_for(bytes);
  const Time free = std::max(head, filled);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sim::to_systemc(free - sim::now() + input.sender->wire);
  in[number]->nb_transport_bw(payload, phase, delay);
}

std::uint64_t Router::high_water(const LinkPort::Place& sender) const {
  const auto input = std::find_if(inputs_.begin(), inputs_.end(), [&](const Input& i) {
    return i.sender != nullptr && i.sender->from == sender.from && i.sender->index == sender.index;
  });
  return input == inputs_.end() ? 0 : input->high_water;
}

void Router::check_empty() const {
  for (const Buffer& b : buffers_)
    TAHOMA_INVARIANT(b.packets.empty(), std::string(name()) + ": packets left in the router");
}

base::LinkMeasurement Router::measure(PortIndex port, Time elapsed) const {
  base::LinkMeasurement m = ports_[port]->measure(elapsed);
  if (port < own_.size()) m.queue_full = own_[port].full;
  return m;
}

}  // namespace tahoma::model
