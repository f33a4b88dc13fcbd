// SPDX-License-Identifier: Apache-2.0
#include "model/link/link_port.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Time;

LinkPort::LinkPort(sc_core::sc_module_name name, const Place& place, base::Bandwidth rate,
                   const LinkParams& params, PlaceWatcher& watcher, sim::Meter& meter)
    : sc_module(name), place_(place), params_(params), watcher_(watcher), meter_(meter), server_(rate) {
  wire.register_nb_transport_bw(this, &LinkPort::on_grant);
  SC_HAS_PROCESS(LinkPort);
  SC_METHOD(wake);
  sensitive << wake_;
  dont_initialize();
}

void LinkPort::put(sim::Payload& payload) {
  payload.acquire();
  queue_.push_back(&payload);
  high_water_ = std::max<std::uint64_t>(high_water_, queue_.size());
  if (queue_.size() == 1)
    sim::notify_at(wake_, std::max({sim::info_of(payload).head, server_.free_at(), sim::now()}));
}

void LinkPort::refused(bool any) {
  if (any == refusing_) return;
  refusing_ = any;
  if (any)
    refusing_since_ = sim::now();
  else
    queue_full_ += sim::now() - refusing_since_;
}

// When a packet that leaves now reaches the next chip's queue. A tail that is still arriving here cannot have
// left: a fast wire behind a slow one waits for it.
LinkPort::Times LinkPort::arrival(const sim::Payload& payload, Time tail_here) const {
  const Time end = sim::now() + server_.rate().time_for({payload.get_data_length() + params_.header.count});
  const base::Duration hop = params_.wire + params_.router;
  return {sim::now() + hop, std::max(end, tail_here) + hop};
}

void LinkPort::wake() {
  meter_.guard(name(), [this] { step(); });
}

// The wire is free and the head packet's header is here: ask for a place at the next chip.
void LinkPort::step() {
  ++meter_.link_activations;
  TAHOMA_INVARIANT(!queue_.empty() && !asked_, std::string(name()) + ": woken with nothing to send");
  asked_ = true;
  sim::Payload& p = *queue_.front();
  sim::PacketInfo& info = sim::info_of(p);
  const Times here{info.head, info.tail}, there = arrival(p, info.tail);
  info.head = there.head;
  info.tail = there.tail;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (wire->nb_transport_fw(p, phase, delay) == tlm::TLM_UPDATED) return depart();
  info.head = here.head;
  info.tail = here.tail;
}

tlm::tlm_sync_enum LinkPort::on_grant(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  TAHOMA_INVARIANT(phase == tlm::END_REQ && asked_ && &payload == queue_.front(),
                   std::string(name()) + ": stray grant");
  sim::PacketInfo& info = sim::info_of(payload);
  const Times there = arrival(payload, info.tail);
  info.head = there.head;
  info.tail = there.tail;
  depart();
  return tlm::TLM_ACCEPTED;
}

void LinkPort::depart() {
  sim::Payload* p = queue_.front();
  queue_.pop_front();
  asked_ = false;
  const std::uint64_t bytes = p->get_data_length() + params_.header.count;
  server_.reserve(sim::now(), {bytes});
  payload_bytes_ += p->get_data_length();
  wire_bytes_ += bytes;
  ++packets_;
  ++meter_.link_packet_hops;
  p->release();
  if (!queue_.empty())
    sim::notify_at(wake_, std::max({sim::info_of(*queue_.front()).head, server_.free_at(), sim::now()}));
  watcher_.place_free(place_.port);
}

base::LinkMeasurement LinkPort::measure(Time elapsed) {
  TAHOMA_INVARIANT(queue_.empty() && server_.busy() <= elapsed,
                   std::string(name()) + ": packets left, or above capacity");
  base::LinkMeasurement m;
  m.path = name();
  m.from_chip = place_.from_chip;
  m.to_chip = place_.to_chip;
  m.axis = static_cast<char>('x' + axis_of(place_.port));
  m.payload_bytes = payload_bytes_;
  m.wire_bytes = wire_bytes_;
  m.packets = packets_;
  m.busy = server_.busy();
  m.queue_full = queue_full_;
  m.queue_high_water = high_water_;
  m.peak = server_.rate();
  m.series = server_.series();
  return m;
}

}  // namespace tahoma::model
