// SPDX-License-Identifier: Apache-2.0
#include "model/link/on_chip_network.h"

#include <algorithm>
#include <string>

#include "isa/core/instruction.h"
#include "isa/core/program.h"
#include "model/base/error.h"
#include "model/link/landed_data.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Duration, base::Time;

OnChipNetwork::OnChipNetwork(sc_core::sc_module_name name, const Place& place, sim::PayloadPool& pool,
                             sim::Meter& meter)
    : sc_module(name),
      place_(place),
      pool_(pool),
      meter_(meter),
      crossings_(std::size_t{place.dies} * place.dies, {sim::BookedServer(place.cross_die_bandwidth), {}}),
      sent_(place.chips),
      received_(place.chips),
      sequences_(std::size_t{place.chips} * place.cores * isa::kDmaEngines),
      landing_(place.chips) {
  dma.register_nb_transport_fw(this, &OnChipNetwork::on_dma);
  landed.register_nb_transport_fw(this, &OnChipNetwork::on_landed);
  inject.register_nb_transport_bw(this, &OnChipNetwork::on_credit);
  for (std::uint32_t s = 0; s < place.stacks; ++s) {
    stacks_.push_back(std::make_unique<tlm_utils::simple_initiator_socket<OnChipNetwork>>(
        ("stack" + std::to_string(s)).c_str()));
    stacks_.back()->register_nb_transport_bw(this, &OnChipNetwork::on_answer);
  }
}

tlm::tlm_sync_enum OnChipNetwork::on_dma(int engine, sim::Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) {
  TAHOMA_INVARIANT(phase == tlm::BEGIN_REQ, std::string(name()) + ": unexpected phase");
  sim::PacketInfo& info = sim::info_of(payload);
  info.injector = static_cast<std::uint32_t>(engine);
  if (info.acknowledgement) {
    if (!is_mine(info.notify->core)) {
      info.notify->over_link = true;
      return send(payload, info.notify->core / place_.cores, phase);
    }
    raise(*info.notify, sim::now());
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  const std::uint32_t to = isa::GlobalAddress::from(payload.get_address()).chip;
  info.from_chip = place_.chip;
  if (to == place_.chip) return to_memory(payload, info, delay);
  if (!payload.is_read()) return send(payload, to, phase);
  ask(payload, to, sim::now() + sim::from_systemc(delay));
  return tlm::TLM_ACCEPTED;
}

// Sends a packet of a DMA engine.
tlm::tlm_sync_enum OnChipNetwork::send(sim::Payload& payload, std::uint32_t to, tlm::tlm_phase& phase) {
  sim::PacketInfo& info = sim::info_of(payload);
  info.to_chip = to;
  info.carried = info.acknowledgement ? 0 : payload.get_data_length();
  if (!info.acknowledgement) {
    const std::uint32_t engine = info.source_core % place_.cores * isa::kDmaEngines + info.engine;
    info.sequence = sequences_[std::size_t{engine} * place_.chips + to]++;
  }
  if (!enter_fabric(payload, info)) return tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

// A read of another chip's memory; the answer completes it.
void OnChipNetwork::ask(sim::Payload& payload, std::uint32_t to, Time ready) {
  sim::PacketInfo& info = sim::info_of(payload);
  info.to_chip = to;
  info.carried = 0;
  info.needed = Time{0};  // the memory there does not include the path back
  send_at(payload, ready);
}

// The core that is notified is on another chip: an empty packet goes there.
void OnChipNetwork::acknowledge(const sim::Notify& notify, Time when) {
  sim::Payload* p = pool_.take(tlm::TLM_WRITE_COMMAND, isa::GlobalAddress{place_.chip, 0, 0}.bits(), 0);
  sim::PacketInfo& info = sim::info_of(*p);
  info.injector = kOwn;
  info.acknowledgement = true;
  info.notify = notify;
  info.notify->over_link = true;
  info.to_chip = notify.core / place_.cores;
  send_at(*p, when);
  p->release();
}

void OnChipNetwork::send_at(sim::Payload& payload, Time ready) {
  payload.acquire();
  waiting_.push({ready, next_number_++, &payload});
  if (waiting_.top().payload == &payload) send_wake_.at(std::max(ready, sim::now()));
}

void OnChipNetwork::wake() {
  meter_.guard(name(), [this] { send_due(); });
}

// Packets for which the router has no room wait there.
void OnChipNetwork::send_due() {
  ++meter_.link_activations;
  while (!waiting_.empty() && waiting_.top().ready <= sim::now()) {
    sim::Payload& payload = *waiting_.top().payload;
    waiting_.pop();
    sim::PacketInfo& info = sim::info_of(payload);
    if (enter_fabric(payload, info)) payload.release();
  }
  if (!waiting_.empty()) send_wake_.at(waiting_.top().ready);
}

// Returns true if the router took it; otherwise on_credit() is called later.
bool OnChipNetwork::enter_fabric(sim::Payload& payload, sim::PacketInfo& info) {
  info.from_chip = place_.chip;
  info.head = sim::now() + place_.router;
  info.tail = std::max(info.answer ? info.last : Time{0}, sim::now()) + place_.router;
  sent_[info.to_chip].packets += 1;
  sent_[info.to_chip].bytes += info.carried;
  sent_[info.to_chip].checksums += info.checksum.data;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  return inject->nb_transport_fw(payload, phase, delay) == tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum OnChipNetwork::on_credit(sim::Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
  sim::PacketInfo& info = sim::info_of(payload);
  info.head = std::max(info.head, sim::now() + place_.router);
  info.tail = std::max(info.tail, info.head);
  const bool of_dma = info.injector != kOwn && !payload.is_read();
  if (of_dma) return dma[static_cast<int>(info.injector)]->nb_transport_bw(payload, phase, delay);
  payload.release();
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum OnChipNetwork::on_landed(sim::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  sim::PacketInfo& info = sim::info_of(payload);
  TAHOMA_INVARIANT(info.to_chip == place_.chip, std::string(name()) + ": packet landed on the wrong chip");
  received_[info.from_chip].packets += 1;
  received_[info.from_chip].bytes += info.carried;
  if (info.answer)
    answer(payload, info);
  else if (info.acknowledgement)
    raise(*info.notify, info.tail);
  else if (payload.get_data_length() == 0)
    written(info, info.tail);
  else
    land(payload, info);
  return tlm::TLM_ACCEPTED;
}

// A write or a read of this chip's memory, from the arrival of its last byte.
void OnChipNetwork::land(sim::Payload& payload, sim::PacketInfo& info) {
  const auto to = isa::GlobalAddress::from(payload.get_address());
  TAHOMA_INVARIANT(to.chip == place_.chip && to.stack < place_.stacks,
                   std::string(name()) + ": packet landed on the wrong chip");
  payload.acquire();  // the router releases it
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sim::to_systemc(info.tail - sim::now());
  if (stack(to.stack)->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) served(payload, info);
}

// The memory has answered a packet that had landed.
void OnChipNetwork::served(sim::Payload& payload, sim::PacketInfo& info) {
  if (values.size() > 0) check_values(payload, info);
  if (payload.is_read())
    read_for_another(payload, info);
  else
    written(info, info.last);
  payload.release();
}

// Data that was read leaves here; data that was written has arrived.
void OnChipNetwork::check_values(sim::Payload& payload, sim::PacketInfo& info) {
  if (payload.is_read())
    info.checksum = sim::checksum_at(*values.operator->(), sim::home_of(payload).address, info.rows);
  else
    received_[info.from_chip].checksums += check_landed(payload, *values.operator->());
}

LandingOrder& OnChipNetwork::order_of(const sim::PacketInfo& info) {
  std::vector<LandingOrder>& engines = landing_[info.from_chip];
  if (engines.empty()) engines.resize(std::size_t{place_.cores} * isa::kDmaEngines);
  return engines[info.source_core % place_.cores * isa::kDmaEngines + info.engine];
}

// The memory has the packet from `when` on.
void OnChipNetwork::written(const sim::PacketInfo& info, Time when) {
  meter_.effect_at(when);
  order_of(info).landed(info, when, [this](const sim::Notify& notify, Duration delay, Time all_written) {
    if (is_mine(notify.core))
      raise(notify, all_written + delay);
    else
      acknowledge(notify, all_written + delay);
  });
}

// The data leave when the first of them have been read, as an answer to the chip that asked.
void OnChipNetwork::read_for_another(sim::Payload& payload, sim::PacketInfo& info) {
  info.answer = true;
  info.to_chip = info.from_chip;
  info.carried = payload.get_data_length();
  send_at(payload, std::max(info.first, sim::now()));
}

void OnChipNetwork::answer(sim::Payload& payload, sim::PacketInfo& info) {
  received_[info.from_chip].checksums += info.checksum.data;
  info.first = info.head;
  info.last = info.tail;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  dma[static_cast<int>(info.injector)]->nb_transport_bw(payload, phase, delay);
}

// A memory may report the acceptance of data later than it took place, which matters only where the change
// takes no time.
void OnChipNetwork::raise(const sim::Notify& n, Time due) {
  const Time visible = std::max(due, sim::now());
  meter_.effect_at(visible);
  semaphores[static_cast<int>(n.core % place_.cores)]->post(n.semaphore, static_cast<sim::Change>(n.change),
                                                            n.value, visible, n.awaited(), n.cause);
}

}  // namespace tahoma::model
