// SPDX-License-Identifier: Apache-2.0
#include "model/link/on_chip_network.h"

#include <algorithm>
#include <string>

#include "isa/program.h"
#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Duration, base::Time;

OnChipNetwork::OnChipNetwork(sc_core::sc_module_name name, const Place& place, sim::PayloadPool& pool,
                             sim::Meter& meter)
    : sc_module(name),
      place_(place),
      pool_(pool),
      meter_(meter),
      crossings_(std::size_t{place.dies} * place.dies, {sim::BookedServer(place.cross_die_bandwidth)}) {
  dma.register_nb_transport_fw(this, &OnChipNetwork::on_dma);
  landed.register_nb_transport_fw(this, &OnChipNetwork::on_landed);
  inject.register_nb_transport_bw(this, &OnChipNetwork::on_credit);
  for (std::uint32_t s = 0; s < place.stacks; ++s) {
    stacks_.push_back(std::make_unique<tlm_utils::simple_initiator_socket<OnChipNetwork>>(
        ("stack" + std::to_string(s)).c_str()));
    stacks_.back()->register_nb_transport_bw(this, &OnChipNetwork::on_answer);
  }
  SC_HAS_PROCESS(OnChipNetwork);
  SC_METHOD(wake);
  sensitive << acknowledge_wake_;
  dont_initialize();
}

tlm::tlm_sync_enum OnChipNetwork::on_dma(int engine, sim::Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) {
  TAHOMA_INVARIANT(phase == tlm::BEGIN_REQ, std::string(name()) + ": unexpected phase");
  sim::PacketInfo& info = sim::info_of(payload);
  if (info.acknowledgement) {
    if (is_mine(info.notify->core)) {
      raise(*info.notify, sim::now());
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    payload.set_address(isa::GlobalAddress{info.notify->core / place_.cores, 0, 0}.bits());
  }
  const auto to = isa::GlobalAddress::from(payload.get_address());
  if (to.chip != place_.chip) {
    if (!to_fabric(payload, static_cast<std::uint32_t>(engine))) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  info.injector = static_cast<std::uint32_t>(engine);
  return to_memory(payload, info, delay);
}

// True if the router took it; otherwise on_credit() will tell.
bool OnChipNetwork::to_fabric(sim::Payload& payload, std::uint32_t injector) {
  sim::PacketInfo& info = sim::info_of(payload);
  info.injector = injector;
  info.head = info.tail = sim::now() + place_.router;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  return inject->nb_transport_fw(payload, phase, delay) == tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum OnChipNetwork::on_credit(sim::Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
  sim::PacketInfo& info = sim::info_of(payload);
  info.head = info.tail = sim::now() + place_.router;
  if (info.injector != kOwn)
    return dma[static_cast<int>(info.injector)]->nb_transport_bw(payload, phase, delay);
  awaiting_credit_ = false;
  acknowledgements_.front().payload->release();
  acknowledgements_.pop_front();
  if (!acknowledgements_.empty())
    sim::notify_at(acknowledge_wake_, std::max(acknowledgements_.front().ready, sim::now()));
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum OnChipNetwork::on_landed(sim::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  if (sim::info_of(payload).acknowledgement || payload.get_data_length() == 0)
    landed_at(sim::info_of(payload), sim::now());
  else
    land(payload);
  return tlm::TLM_COMPLETED;
}

void OnChipNetwork::land(sim::Payload& payload) {
  const auto to = isa::GlobalAddress::from(payload.get_address());
  TAHOMA_INVARIANT(to.chip == place_.chip && to.stack < place_.stacks,
                   std::string(name()) + ": packet landed on the wrong chip");
  sim::PacketInfo& info = sim::info_of(payload);
  info.injector = kOwn;
  payload.acquire();  // the router lets go of it
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (stack(to.stack)->nb_transport_fw(payload, phase, delay) != tlm::TLM_COMPLETED) return;
  landed_at(info, info.last);
  payload.release();
}

// The memory has the packet from `written` on.
void OnChipNetwork::landed_at(const sim::PacketInfo& info, Time written) {
  meter_.effect_at(written);
  if (!info.notify) return;
  const Time visible = written + info.notify_delay;
  if (is_mine(info.notify->core))
    raise(*info.notify, visible);
  else
    acknowledge(*info.notify, visible);
}

void OnChipNetwork::raise(const sim::Notify& n, Time visible) {
  meter_.effect_at(visible);
  semaphores[static_cast<int>(n.core % place_.cores)]->post(n.semaphore, static_cast<sim::Change>(n.change),
                                                            n.value, visible, base::Cycle::kWaitLink);
}

// The core that wants to know sits on another chip: an empty packet goes there.
void OnChipNetwork::acknowledge(const sim::Notify& notify, Time when) {
  sim::Payload* p =
      pool_.take(tlm::TLM_WRITE_COMMAND, isa::GlobalAddress{notify.core / place_.cores, 0, 0}.bits(), 0);
  sim::info_of(*p).acknowledgement = true;
  sim::info_of(*p).notify = notify;
  acknowledgements_.push_back({p, when});
  if (acknowledgements_.size() == 1) sim::notify_at(acknowledge_wake_, when);
}

void OnChipNetwork::wake() {
  meter_.guard(name(), [this] { send_acknowledgements(); });
}

void OnChipNetwork::send_acknowledgements() {
  ++meter_.link_activations;
  if (awaiting_credit_ || acknowledgements_.empty()) return;
  if (!to_fabric(*acknowledgements_.front().payload, kOwn)) {
    awaiting_credit_ = true;
    return;
  }
  acknowledgements_.front().payload->release();
  acknowledgements_.pop_front();
  if (!acknowledgements_.empty())
    sim::notify_at(acknowledge_wake_, std::max(acknowledgements_.front().ready, sim::now()));
}

}  // namespace tahoma::model
