// SPDX-License-Identifier: Apache-2.0
#include "model/link/link_port.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Time;

LinkPort::LinkPort(sc_core::sc_module_name name, const Place& place, const LinkParams& params,
                   PacketSource& source, sim::Meter& meter)
    : sc_module(name),
      place_(place),
      params_(params),
      source_(source),
      meter_(meter),
      server_(place.rate),
      clock_(place.rate, place.buffer == kAlways ? base::Bytes{0} : params.word()),
      vcs_(params.vcs, Vc{place.buffer, {}}) {
  wire.register_nb_transport_bw(this, &LinkPort::on_credit);
}

void LinkPort::due(Time when) {
  const Time at = std::max({when, server_.free_at(), sim::now()});
  wake_.at(clock_.runs() ? clock_.edge(clock_.at_or_after(at)) : at);
}

void LinkPort::ask(std::uint32_t buffer, std::uint8_t vc, const sim::PacketInfo& packet, Time head) {
  if (witness_ != nullptr) witness_->asked(buffer, vc, packet, head);
  due(head);
}

void LinkPort::wake() {
  meter_.guard(name(), [this] { step(); });
}

void LinkPort::step() {
  ++meter_.link_activations;
  if (server_.free_at() > sim::now()) return due(server_.free_at());
  const Time credit = collect_credits();
  const Departure next = source_.departure(*this);
  starve(next.starved);
  if (next.packet != nullptr) return send(next);
  const Time again = next.starved ? std::min(credit, next.next) : next.next;
  if (again != base::kNever) due(again);
}

// Collects the credits that have returned; returns when more will arrive.
Time LinkPort::collect_credits() {
  Time next = base::kNever;
  for (Vc& vc : vcs_) {
    for (; !vc.returning.empty() && vc.returning.front().when <= sim::now(); vc.returning.pop())
      vc.room += vc.returning.front().bytes;
    if (!vc.returning.empty()) next = std::min(next, vc.returning.front().when);
  }
  return next;
}

// Occupies the wire from now until the returned time.
Time LinkPort::take_wire(base::Bytes bytes) {
  if (!clock_.runs()) return server_.reserve(sim::now(), bytes).end;
  const base::Cycles start = clock_.at_or_after(sim::now());
  return server_.occupy(sim::now(), clock_.edge(start + clock_.cycles_for(bytes))).end;
}

void LinkPort::testify(const Departure& departure, Time end) const {
  std::vector<std::uint64_t> rooms;
  for (const Vc& vc : vcs_) rooms.push_back(vc.room);
  witness_->sent(departure.buffer, sim::now(), end, rooms);
}

// The last byte cannot leave before it has arrived, so a fast wire after a slow one waits for it.
void LinkPort::send(const Departure& departure) {
  sim::Payload& packet = *departure.packet;
  sim::PacketInfo& info = sim::info_of(packet);
  const base::Bytes bytes = params_.on_wire(info.carried);
  const Time end = take_wire(bytes);
  if (witness_ != nullptr) testify(departure, end);
  const Time tail = std::max(end, info.tail);
  count(info, bytes.count);
  if (place_.buffer != kAlways && meter_.timeline != nullptr)
    meter_.timeline->link(
        {name(), place_.from, info.from_chip, info.to_chip, info.carried, bytes.count, sim::now(), end});
  if (place_.buffer != kAlways) vcs_[departure.vc].room -= bytes.count;
  source_.depart(departure, tail);
  info.vc = departure.vc;
  info.head = sim::now() + place_.hop();
  info.tail = tail + place_.hop();
  if (far_names_ != nullptr) far_names_->rename(packet);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  wire->nb_transport_fw(packet, phase, delay);
  packet.release();
  if (departure.next != base::kNever) due(departure.next);
}

void LinkPort::count(const sim::PacketInfo& info, std::uint64_t wire_bytes) {
  counter_.packet(info, wire_bytes);
  if (place_.buffer != kAlways) ++meter_.link_packet_hops;
}

void LinkPort::starve(bool starved) {
  if (starved == starved_since_.has_value()) return;
  if (starved) {
    starved_since_ = sim::now();
  } else {
    counter_.blocked(sim::now() - *starved_since_);
    starved_since_.reset();
  }
}

tlm::tlm_sync_enum LinkPort::on_credit(sim::Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  TAHOMA_INVARIANT(phase == tlm::END_REQ && place_.buffer != kAlways, std::string(name()) + ": stray credit");
  const sim::PacketInfo& info = sim::info_of(payload);
  sim::Fifo<Return>& returning = vcs_[info.vc].returning;
  Time when = sim::now() + sim::from_systemc(delay);
  if (!returning.empty()) when = std::max(when, returning.back().when);  // a buffer is emptied in order
  const std::uint64_t bytes = params_.on_wire(info.carried).count;
  returning.push({when, bytes});
  if (witness_ != nullptr) witness_->credited(info.vc, bytes, when);
  if (starved_since_) due(when);
  return tlm::TLM_ACCEPTED;
}

base::LinkMeasurement LinkPort::measure(Time elapsed) const {
  TAHOMA_INVARIANT(server_.busy() <= elapsed, std::string(name()) + ": above capacity");
  return counter_.measure({name(), place_.from, place_.to, place_.axis}, server_);
}

}  // namespace tahoma::model
