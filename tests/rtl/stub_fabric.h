// SPDX-License-Identifier: Apache-2.0
// A fabric whose chips only send and receive packets: routers and ports of the model under random traffic,
// with small buffers.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <random>
#include <systemc>
#include <vector>

#include "model/sim/time.h"
#include "model/system/machine/fabric.h"

namespace tahoma::tests {

// Sends packets of random sizes to other chips; a few of them may wait for space in the router.
class StubChip : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<StubChip> inject{"inject"};
  tlm_utils::simple_target_socket<StubChip> landed{"landed"};

  struct Traffic {
    std::uint32_t chips;
    std::uint64_t packets;  // per chip
    std::uint32_t largest;  // bytes of data
    base::Duration pause;   // maximum between two packets
  };

  StubChip(sc_core::sc_module_name name, std::uint32_t chip, const Traffic& traffic, sim::PayloadPool& pool,
           sim::Meter& meter)
      : sc_module(name), chip_(chip), traffic_(traffic), pool_(pool), meter_(meter), random_(chip + 1) {
    inject.register_nb_transport_bw(this, &StubChip::on_credit);
    landed.register_nb_transport_fw(this, &StubChip::on_landed);
    SC_HAS_PROCESS(StubChip);
    SC_METHOD(wake);
    sensitive << wake_;
  }

  std::uint64_t received() const { return received_; }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void wake() {
    meter_.guard(name(), [this] { send(); });
  }
  void send() {
    if (sent_ == traffic_.packets || refused_ > 0) return;
    sim::Payload* p = pool_.take(tlm::TLM_WRITE_COMMAND, 0, 0);
    sim::PacketInfo& info = sim::info_of(*p);
    info.source_core = static_cast<std::uint32_t>(below(8));
    info.engine = static_cast<std::uint32_t>(below(16));
    info.from_chip = chip_;
    info.to_chip = static_cast<std::uint32_t>((chip_ + 1 + below(traffic_.chips - 1)) % traffic_.chips);
    info.sequence = static_cast<std::uint32_t>(sent_++);
    info.carried = below(4) == 0 ? 0 : static_cast<std::uint32_t>(below(traffic_.largest + 1));
    info.head = info.tail = sim::now() + base::Duration{static_cast<std::int64_t>(below(1'000'000))};
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (inject->nb_transport_fw(*p, phase, delay) == tlm::TLM_UPDATED)
      p->release();
    else
      ++refused_;
    const auto pause = static_cast<std::uint64_t>(traffic_.pause.fs);
    sim::notify_at(wake_, sim::now() + base::Duration{static_cast<std::int64_t>(below(pause))});
  }
  tlm::tlm_sync_enum on_credit(sim::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    sim::PacketInfo& info = sim::info_of(payload);
    info.head = std::max(info.head, sim::now());
    info.tail = std::max(info.tail, info.head);
    payload.release();
    --refused_;
    wake_.notify(sc_core::SC_ZERO_TIME);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum on_landed(sim::Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    received_ += sim::info_of(payload).to_chip == chip_ ? 1 : 0;
    return tlm::TLM_ACCEPTED;
  }

  std::uint32_t chip_;
  Traffic traffic_;
  sim::PayloadPool& pool_;
  sim::Meter& meter_;
  std::mt19937_64 random_;
  sc_core::sc_event wake_;
  std::uint64_t sent_ = 0, received_ = 0;
  unsigned refused_ = 0;
};

class StubFabric {
 public:
  StubFabric(const model::MachineParams& machine, StubChip::Traffic traffic,
             const model::PortWitnessMaker& make)
      : fabric_(machine) {
    traffic.chips = static_cast<std::uint32_t>(machine.chips());
    std::vector<const model::FabricNode*> nodes;
    for (std::uint32_t n = 0; n < traffic.chips; ++n) {
      nodes_.push_back(fabric_.make_node(("chip" + std::to_string(n)).c_str(), n, meter_));
      nodes.push_back(nodes_.back().get());
      chips_.push_back(
          std::make_unique<StubChip>(("stub" + std::to_string(n)).c_str(), n, traffic, pool_, meter_));
    }
    fabric_.connect(nodes, meter_);
    for (std::uint32_t n = 0; n < traffic.chips; ++n) {
      nodes_[n]->bind_chip(chips_[n]->inject, chips_[n]->landed);
    }
    fabric_.watch(make);
  }

  // Runs until all traffic has ended. Throws the exception of a process, if any.
  void run() {
    sc_core::sc_start();
    meter_.rethrow();
    packet_hops_ = 0;
    for (const base::LinkMeasurement& link : fabric_.measure(sim::now())) packet_hops_ += link.packets;
  }

  std::uint64_t packet_hops() const { return packet_hops_; }
  std::uint64_t received() const {
    std::uint64_t all = 0;
    for (const auto& chip : chips_) all += chip->received();
    return all;
  }

 private:
  sim::Meter meter_;
  sim::PayloadPool pool_;
  model::Fabric fabric_;
  std::vector<std::unique_ptr<model::FabricNode>> nodes_;
  std::vector<std::unique_ptr<StubChip>> chips_;
  std::uint64_t packet_hops_ = 0;
};

}  // namespace tahoma::tests
