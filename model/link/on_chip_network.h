// SPDX-License-Identifier: Apache-2.0
// The network of one chip between its DMA engines, its HBM stacks and its NeuronLink router: it routes by
// address, adds latency in both directions and carries data between dies at the rate of the crossing. It
// lands packets from other chips: writes go to memory and raise their semaphores once the memory has accepted
// them and everything that their DMA engine sent before; reads are performed here and answered to the
// requesting chip.
//
// Not modelled: the network's own bandwidth within a die, because the engines and the stacks are the
// bottleneck. The router's latency includes the path of landing packets.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <queue>
#include <systemc>
#include <vector>

#include "model/base/measurements.h"
#include "model/link/landing_order.h"
#include "model/link/link_params.h"
#include "model/sim/backdoor.h"
#include "model/sim/booked_server.h"
#include "model/sim/die_crossing.h"
#include "model/sim/meter.h"
#include "model/sim/packet.h"
#include "model/sim/semaphores.h"
#include "model/sim/wake.h"

namespace tahoma::model {

class OnChipNetwork : public sc_core::sc_module, public sim::DieCrossingIf {
 public:
  tlm_utils::multi_passthrough_target_socket<OnChipNetwork> dma{"dma"};  // engines in order: core-major
  tlm_utils::simple_initiator_socket<OnChipNetwork> inject{"inject"};    // to the router
  tlm_utils::simple_target_socket<OnChipNetwork> landed{"landed"};       // from the router
  sc_core::sc_port<sim::SemaphoreIf, 0, sc_core::SC_ZERO_OR_MORE_BOUND> semaphores{
      "semaphores"};  // cores in order
  // The machine's memory values, in functional mode: packet data are checked against them. If unbound,
  // nothing is checked.
  sc_core::sc_port<sim::BackdoorIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> values{"values"};

  struct Place {
    std::uint32_t chip, chips;
    std::uint32_t cores, stacks, dies;  // of one chip
    base::Duration request, response;   // to a stack of the same die, and back
    base::Duration cross_die, router;
    base::Bandwidth cross_die_bandwidth;  // from one die to another
  };
  OnChipNetwork(sc_core::sc_module_name name, const Place& place, sim::PayloadPool& pool, sim::Meter& meter);

  tlm_utils::simple_initiator_socket<OnChipNetwork>& stack(unsigned index) { return *stacks_[index]; }

  base::Time cross(std::uint32_t from, std::uint32_t to, base::Time departure, base::Bytes data) override;

  std::vector<base::CrossingMeasurement> measure() const;
  // Traffic sent to and landed from other chips, by the other chip.
  struct Traffic {
    std::uint64_t packets = 0, bytes = 0;
    std::uint64_t checksums = 0;  // sum of the data's checksums; of received data, as they are in memory
    friend bool operator==(const Traffic&, const Traffic&) = default;
  };
  const std::vector<Traffic>& sent() const { return sent_; }
  const std::vector<Traffic>& received() const { return received_; }

 private:
  tlm::tlm_sync_enum on_dma(int engine, sim::Payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  tlm::tlm_sync_enum on_landed(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum on_credit(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum on_answer(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  // Accesses of the chip's own memories (on_chip_memory.cpp).
  tlm::tlm_sync_enum to_memory(sim::Payload& payload, sim::PacketInfo& info, sc_core::sc_time& delay);
  void answered(const sim::Payload& payload, sim::PacketInfo& info);
  void carry_back(sim::PacketInfo& info, std::uint32_t stack, base::Bytes bytes);

  // Sends a packet into the fabric.
  tlm::tlm_sync_enum send(sim::Payload& payload, std::uint32_t to, tlm::tlm_phase& phase);
  void ask(sim::Payload& payload, std::uint32_t to, base::Time ready);
  void acknowledge(const sim::Notify& notify, base::Time when);
  void send_at(sim::Payload& payload, base::Time ready);
  bool enter_fabric(sim::Payload& payload, sim::PacketInfo& info);
  void wake();
  void send_due();

  // Receives a packet from the fabric.
  void land(sim::Payload& payload, sim::PacketInfo& info);
  void written(const sim::PacketInfo& info, base::Time when);
  void served(sim::Payload& payload, sim::PacketInfo& info);
  void check_values(sim::Payload& payload, sim::PacketInfo& info);
  void read_for_another(sim::Payload& payload, sim::PacketInfo& info);
  void answer(sim::Payload& payload, sim::PacketInfo& info);
  void raise(const sim::Notify& notify, base::Time due);
  LandingOrder& order_of(const sim::PacketInfo& info);

  bool is_mine(std::uint32_t core) const { return core / place_.cores == place_.chip; }
  std::uint32_t die_of_core(std::uint32_t core) const {
    return core % place_.cores * place_.dies / place_.cores;
  }
  std::uint32_t die_of_stack(std::uint32_t stack) const { return stack * place_.dies / place_.stacks; }

  struct Crossing {
    sim::BookedServer server;
    base::CrossingMeasurement counted;
  };
  sim::BookedServer::Slot carry(Crossing& crossing, base::Time arrival, base::Bytes data) const;
  Crossing& crossing(std::uint32_t from_die, std::uint32_t to_die) {
    return crossings_[from_die * place_.dies + to_die];
  }

  static constexpr std::uint32_t kOwn = ~0U;  // injector of the network's own acknowledgements

  Place place_;
  sim::PayloadPool& pool_;
  sim::Meter& meter_;
  std::vector<std::unique_ptr<tlm_utils::simple_initiator_socket<OnChipNetwork>>> stacks_;
  std::vector<Crossing> crossings_;  // by (from, to); those from a die to itself stay unused

  struct Waiting {  // packets that the network itself sends
    base::Time ready;
    std::uint64_t number;  // orders packets that are ready at the same time
    sim::Payload* payload;
    bool operator<(const Waiting& other) const {
      return std::pair(ready, number) > std::pair(other.ready, other.number);
    }
  };
  std::priority_queue<Waiting> waiting_;  // the next one on top
  std::uint64_t next_number_ = 0;
  sim::Wake send_wake_ = sim::Wake::calling<&OnChipNetwork::wake>(this);

  std::vector<Traffic> sent_, received_;            // by chip
  std::vector<std::uint32_t> sequences_;            // next one, by (DMA engine of this chip, chip)
  std::vector<std::vector<LandingOrder>> landing_;  // by chip, DMA engine there
};

}  // namespace tahoma::model
