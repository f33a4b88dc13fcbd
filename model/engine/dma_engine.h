// SPDX-License-Identifier: Apache-2.0
// One of the 16 DMA engines of a NeuronCore: in-order rings served round-robin at packet granularity. One
// activation moves one packet: it reserves the memories at both ends, and the next packet follows when the
// engine and the slower memory are done with this one. Packets for another chip are handed to the fabric in
// order, and wait for its credit.
//
// Leaves out: descriptor fetch, and reads of another chip's memory.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <systemc>
#include <vector>

#include "model/engine/dma_split.h"
#include "model/engine/doorbell.h"
#include "model/engine/engine_params.h"
#include "model/sim/meter.h"
#include "model/sim/semaphores.h"

namespace tahoma::model {

// A transfer in flight, shared by the shares of the 16 engines.
struct Transfer {
  TransferRequest request;
  Runs runs;
  bool remote = false;   // dst on another chip
  bool applied = false;  // values moved
  unsigned shares_left = 0;
};

// What the 16 engines of a core have in common.
struct DmaGroup {
  virtual void first_packet(Transfer& transfer) = 0;  // values are applied here
  virtual void share_ended(Transfer& transfer, unsigned ring) = 0;
  virtual void moving(base::Time start, base::Time end) = 0;

 protected:
  ~DmaGroup() = default;
};

class DmaEngine : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<DmaEngine> network{"network"};
  sc_core::sc_port<sim::SemaphoreIf> semaphores{"semaphores"};

  struct Place {
    unsigned index;      // 0..15
    std::uint32_t core;  // global number
    std::uint32_t chip;
  };
  DmaEngine(sc_core::sc_module_name name, const Place& place, const DmaParams& params, DmaGroup& group,
            sim::PayloadPool& pool, sim::Meter& meter);

  void push(Transfer* transfer, unsigned ring, base::Time available);

  base::Duration busy() const { return busy_; }
  base::Duration blocked_memory() const { return blocked_memory_; }
  base::Duration blocked_link() const { return blocked_link_; }
  std::uint64_t packets() const { return packets_; }
  std::uint64_t bytes() const { return bytes_; }
  bool idle() const { return waiting_ == 0 && outgoing_.empty(); }

 private:
  struct Share {
    Transfer* transfer;
    base::Time available;
    std::uint64_t unit, last_unit;    // next unit, end
    std::uint64_t done_elements = 0;  // of the current unit
  };
  struct Packet {
    std::uint64_t unit = 0, from_element = 0, elements = 0, runs = 1;
    bool starts_run = true, last = false;
  };
  struct Outgoing {
    sim::Payload* payload;
    base::Time ready;
  };

  void step();
  void inject();
  tlm::tlm_sync_enum on_end_request(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void sent();

  Share* next_share(base::Time t, unsigned& ring);
  Packet next_packet(Share& share) const;
  void advance(Share& share, const Packet& packet) const;
  base::Time move(Share& share, const Packet& packet, base::Time t, base::Time& read_done);
  base::Time access(tlm::tlm_command command, const isa::DmaSide& side, std::uint64_t base,
                    const Transfer& transfer, const Packet& packet, base::Time& data_at);
  void send(const Transfer& transfer, const Packet& packet, base::Time read_done);
  void complete(const Transfer& transfer, base::Time read_done);
  void schedule();

  Place place_;
  const DmaParams& params_;
  DmaGroup& group_;
  sim::PayloadPool& pool_;
  sim::Meter& meter_;
  base::Clock clock_;

  std::vector<std::deque<Share>> rings_;
  std::size_t waiting_ = 0;  // shares in all rings
  unsigned last_ring_ = 0;
  base::Time free_at_{0};
  base::Time completed_{0};  // completions are in order
  sc_core::sc_event wake_, inject_wake_;

  std::deque<Outgoing> outgoing_;
  bool awaiting_credit_ = false, blocked_on_link_ = false;
  base::Time blocked_since_{0};
  sim::Payload local_;
  sim::PacketInfo* local_info_;

  base::Duration busy_{0}, blocked_memory_{0}, blocked_link_{0};
  std::uint64_t packets_ = 0, bytes_ = 0;
};

}  // namespace tahoma::model
