// SPDX-License-Identifier: Apache-2.0
// The node of a chip in a network of flits: a queue of the chip's packets, which enter the router as one flit
// per cycle, and the exit for packets to the chip, which takes every flit.
//
// The queue holds machine.link.buffer bytes. A packet that finds no room waits at its sender; room is granted
// in the order of requests. Every packet takes the next virtual channel that has a credit, and keeps it until
// its last flit.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <optional>
#include <vector>

#include "model/link/fabric_node.h"
#include "model/link/flits/flit.h"
#include "model/link/flits/flit_law.h"
#include "model/link/router.h"
#include "model/sim/fifo.h"

namespace tahoma::model {

class FlitGate : public FabricNode {
 public:
  tlm_utils::simple_target_socket<FlitGate> in{"in"};       // packets of the chip
  tlm_utils::simple_initiator_socket<FlitGate> out{"out"};  // packets for the chip

  FlitGate(sc_core::sc_module_name name, std::uint32_t node, const Router::Fabric& fabric);
  void bind_chip(tlm::tlm_initiator_socket<>& inject, tlm::tlm_target_socket<>& landed) override;
  // `offered` is called when a packet has entered the queue.
  void connect(std::function<void()> offered) { offered_ = std::move(offered); }

  // Returns the flit that enters the router in the cycle, if any.
  std::optional<Flit> send(std::int64_t cycle);
  // At the end of a cycle: accepts waiting packets for which there is room now.
  void grant();
  // The router has removed a flit of the virtual channel from its buffer.
  void credit(std::uint8_t vc);
  // A flit for the chip arrives at the given time, which is not in the past.
  void land(const Flit& flit, base::Time when);

  // The flit at the head of the queue waits for a credit, not for its data.
  bool waits_for_credit(std::int64_t cycle) const;
  bool empty() const { return queue_.empty(); }
  bool at_rest() const;
  // Returns how long the chip's packets waited for room, by the port of the first packet that waited; if two
  // ways are equally short, by that of the first way.
  base::Duration queue_full(base::PortIndex port) const { return full_[port]; }

 private:
  struct Offered {
    sim::Payload* packet = nullptr;
    std::int64_t first = 0, last = 0;  // cycles from which its first and its last flit may leave
    std::uint64_t bytes = 0, flits = 0, sent = 0;
    std::int64_t next() const { return sent + 1 == flits ? last : first; }  // of the next flit
  };

  tlm::tlm_sync_enum on_packet(sim::Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  bool has_room(const sim::Payload& payload) const;
  void enter(sim::Payload& payload);
  bool choose_vc();
  base::PortIndex port_of(const sim::Payload& payload) const;

  const Router::Fabric fabric_;
  const FlitLaw law_;
  std::function<void()> offered_;
  sim::Fifo<Offered> queue_;
  std::uint64_t bytes_ = 0;  // in the queue
  sim::Fifo<sim::Payload*> refused_;
  base::Time refused_since_{0};
  std::vector<base::Duration> full_;    // by port, the chip's behind the links'
  std::vector<std::uint32_t> credits_;  // by virtual channel
  std::uint32_t vc_;                    // of the latest packet
};

}  // namespace tahoma::model
