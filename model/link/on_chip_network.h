// SPDX-License-Identifier: Apache-2.0
// The network of one chip between its DMA engines, its HBM stacks and its NeuronLink router: routes by
// address, adds the crossing between dies, lands arriving packets in memory and raises the semaphores they
// carry.
//
// Leaves out its own bandwidth: the engines and the stacks are the narrower part.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "model/link/link_params.h"
#include "model/sim/meter.h"
#include "model/sim/packet.h"
#include "model/sim/semaphores.h"

namespace tahoma::model {

class OnChipNetwork : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<OnChipNetwork> dma{"dma"};  // engines in order: core-major
  tlm_utils::simple_initiator_socket<OnChipNetwork> inject{"inject"};    // to the router
  tlm_utils::simple_target_socket<OnChipNetwork> landed{"landed"};       // from the router
  sc_core::sc_port<sim::SemaphoreIf, 0, sc_core::SC_ZERO_OR_MORE_BOUND> semaphores{
      "semaphores"};  // cores in order

  struct Place {
    std::uint32_t chip;
    std::uint32_t cores, stacks, dies;  // of one chip
    base::Duration cross_die, router;
  };
  OnChipNetwork(sc_core::sc_module_name name, const Place& place, sim::PayloadPool& pool, sim::Meter& meter);

  tlm_utils::simple_initiator_socket<OnChipNetwork>& stack(unsigned index) { return *stacks_[index]; }

 private:
  tlm::tlm_sync_enum on_dma(int engine, sim::Payload& payload, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay);
  tlm::tlm_sync_enum on_landed(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum on_credit(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  bool to_fabric(sim::Payload& payload, std::uint32_t injector);
  base::Time write(sim::Payload& payload);
  void raise(const sim::Notify& notify, base::Time visible);
  void acknowledge(const sim::Notify& notify, base::Time when);
  void wake();
  void send_acknowledgements();
  bool is_mine(std::uint32_t core) const { return core / place_.cores == place_.chip; }
  std::uint32_t die_of_core(std::uint32_t core) const {
    return core % place_.cores * place_.dies / place_.cores;
  }
  std::uint32_t die_of_stack(std::uint32_t stack) const { return stack * place_.dies / place_.stacks; }

  static constexpr std::uint32_t kOwn = ~0U;  // injector of acknowledgements

  Place place_;
  sim::PayloadPool& pool_;
  sim::Meter& meter_;
  std::vector<std::unique_ptr<tlm_utils::simple_initiator_socket<OnChipNetwork>>> stacks_;
  struct Acknowledgement {
    sim::Payload* payload;
    base::Time ready;
  };
  std::deque<Acknowledgement> acknowledgements_;
  bool awaiting_credit_ = false;
  sc_core::sc_event acknowledge_wake_;
};

}  // namespace tahoma::model
