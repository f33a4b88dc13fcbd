// SPDX-License-Identifier: Apache-2.0
// The doorbell side of a core's 16 DMA engines: takes a resolved transfer, deals its shares to the engines
// after the start-up latency, moves the values in functional mode when the first packet starts, and bounds
// what a ring holds.
#pragma once

#include <array>
#include <memory>
#include <systemc>
#include <vector>

#include "isa/semantics.h"
#include "model/engine/dma_engine.h"
#include "model/sim/backdoor.h"

namespace tahoma::model {

class DmaRings : public sc_core::sc_module, public DoorbellIf, private DmaGroup {
 public:
  sc_core::sc_port<sim::BackdoorIf> hbm{"hbm"};
  sc_core::sc_port<sim::ScratchpadIf> sbuf{"sbuf"}, psum{"psum"};
  sc_core::sc_port<sim::RetireIf> retire{"retire"};

  struct Place {
    std::uint32_t core, chip;
    bool functional;
  };
  DmaRings(sc_core::sc_module_name name, const Place& place, const DmaParams& params, sim::PayloadPool& pool,
           sim::Meter& meter);

  DmaEngine& engine(unsigned index) { return *engines_[index]; }
  bool idle() const;
  base::DmaMeasurement measure() const;

  bool has_room(unsigned ring) const override;
  void ring(const TransferRequest& request) override;
  void call_when_room(unsigned ring, RoomWatcher* who) override;

 private:
  void first_packet(Transfer& transfer) override;
  void share_ended(Transfer& transfer, unsigned ring) override;
  void moving(base::Time start, base::Time end) override;

  Place place_;
  const DmaParams& params_;
  std::array<std::unique_ptr<DmaEngine>, isa::kDmaEngines> engines_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  // all ever made, recycled through free_
  std::vector<Transfer*> free_;
  std::vector<std::uint64_t> held_;  // transfers per ring
  std::vector<std::vector<RoomWatcher*>> room_watchers_;
  std::uint64_t started_ = 0, in_flight_ = 0;
  base::Duration active_{0};
  base::Time active_until_{0};
};

}  // namespace tahoma::model
