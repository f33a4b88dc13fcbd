// SPDX-License-Identifier: Apache-2.0
#include "model/link/flits/flit_gate.h"

#include <algorithm>
#include <string>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::PortIndex, base::Time;

FlitGate::FlitGate(sc_core::sc_module_name name, std::uint32_t node, const Router::Fabric& fabric)
    : FabricNode(name, node),
      fabric_(fabric),
      law_(fabric.params),
      full_(fabric.topology.ports(node) + 1),
      credits_(law_.vcs, law_.room),
      vc_(law_.vcs - 1) {
  in.register_nb_transport_fw(this, &FlitGate::on_packet);
}

void FlitGate::bind_chip(tlm::tlm_initiator_socket<>& inject, tlm::tlm_target_socket<>& landed) {
  inject.bind(in);
  out.bind(landed);
}

PortIndex FlitGate::port_of(const sim::Payload& payload) const {
  const std::uint32_t to = sim::info_of(payload).to_chip;
  return to == node() ? fabric_.topology.ports(node()) : fabric_.routes.way(node(), to).port;
}

bool FlitGate::has_room(const sim::Payload& payload) const {
  return bytes_ + fabric_.params.on_wire(sim::info_of(payload).carried).count <= fabric_.params.buffer.count;
}

tlm::tlm_sync_enum FlitGate::on_packet(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  TAHOMA_INVARIANT(phase == tlm::BEGIN_REQ, std::string(name()) + ": unexpected phase");
  if (refused_.empty() && has_room(payload)) {
    enter(payload);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (refused_.empty()) refused_since_ = sim::now();
  refused_.push(&payload);
  return tlm::TLM_ACCEPTED;
}

// The stages of the router are part of the network; the times in the packet include them.
void FlitGate::enter(sim::Payload& payload) {
  payload.acquire();
  const sim::PacketInfo& info = sim::info_of(payload);
  const auto cycle_of = [this](Time t) { return law_.cycle_at(std::max(sim::now(), t - law_.router)); };
  Offered offered;
  offered.packet = &payload;
  offered.first = cycle_of(info.head);
  offered.last = cycle_of(std::max(info.head, info.tail));
  offered.bytes = fabric_.params.on_wire(info.carried).count;
  offered.flits = law_.flits_of(fabric_.params, info.carried);
  bytes_ += offered.bytes;
  queue_.push(offered);
  offered_();
}

void FlitGate::grant() {
  if (refused_.empty()) return;
  const PortIndex port = port_of(*refused_.front());
  while (!refused_.empty() && has_room(*refused_.front())) {
    sim::Payload& payload = *refused_.front();
    payload.acquire();  // the sender releases it in the grant
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    in->nb_transport_bw(payload, phase, delay);
    enter(payload);
    refused_.pop();  // not before: what the sender offers in the grant is behind it
    payload.release();
  }
  full_[port] += sim::now() - refused_since_;
  refused_since_ = sim::now();
}

// Takes the next virtual channel, round robin, that has a credit.
bool FlitGate::choose_vc() {
  for (std::uint32_t n = 1; n <= law_.vcs; ++n) {
    const std::uint32_t vc = (vc_ + n) % law_.vcs;
    if (credits_[vc] == 0) continue;
    vc_ = vc;
    return true;
  }
  return false;
}

std::optional<Flit> FlitGate::send(std::int64_t cycle) {
  if (queue_.empty() || cycle < queue_.front().next()) return std::nullopt;
  Offered& offered = queue_.front();
  const bool head = offered.sent == 0;
  if (head ? !choose_vc() : credits_[vc_] == 0) return std::nullopt;
  --credits_[vc_];
  const bool tail = ++offered.sent == offered.flits;
  const Flit flit{offered.packet, static_cast<std::uint8_t>(vc_), head, tail};
  if (tail) {
    bytes_ -= offered.bytes;
    queue_.pop();
  }
  return flit;
}

void FlitGate::credit(std::uint8_t vc) {
  TAHOMA_INVARIANT(credits_[vc] < law_.room, std::string(name()) + ": more credits than the buffer has room");
  ++credits_[vc];
}

void FlitGate::land(const Flit& flit, Time when) {
  sim::PacketInfo& info = sim::info_of(*flit.packet);
  if (flit.head) info.head = when;
  if (!flit.tail) return;
  info.tail = when;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  out->nb_transport_fw(*flit.packet, phase, delay);
  flit.packet->release();
}

bool FlitGate::waits_for_credit(std::int64_t cycle) const {
  return !queue_.empty() && cycle >= queue_.front().next();
}

bool FlitGate::at_rest() const {
  return queue_.empty() && refused_.empty() &&
         std::all_of(credits_.begin(), credits_.end(), [this](std::uint32_t c) { return c == law_.room; });
}

}  // namespace tahoma::model
