// SPDX-License-Identifier: Apache-2.0
// The router of a node of the fabric: a buffer for each virtual channel of each incoming link, queues of the
// chip's own packets for each outgoing link, and the ports. It decides the next hop of each packet at the
// head of a buffer. A port that may send asks the buffers in turn (round robin), so that none starves.
//
// The chip's own packets wait in a queue for each port, so that packets for one link do not block those for
// another. A packet that finds no room there waits at its sender; room is granted in the order of requests.
//
// A switch has the router of a chip without a chip (switch_stage.h): equal inputs wait equally long at equal
// outputs.
//
// A packet for this chip leaves through its own port, at the rate of the chip's side, when its header has
// arrived.
//
// Nothing that a neighbour sends has an effect here before its header arrives, one hop after it was sent, and
// no credit before the flight time of a hop. A part of the machine can therefore be simulated that long
// without knowing what its neighbours send (model/system/parallel).
//
// The room of a buffer is free again as soon as data that arrives at the rate of its link cannot overtake
// data that still leaves.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <systemc>
#include <utility>
#include <vector>

#include "model/base/topology/routes.h"
#include "model/link/fabric_node.h"
#include "model/link/link_fault_params.h"
#include "model/link/link_port.h"
#include "model/link/port_requests.h"
#include "model/link/switch_stage.h"

namespace tahoma::model {

class Router : public FabricNode, private PacketSource {
 public:
  tlm_utils::multi_passthrough_target_socket<Router> in{"in"};  // incoming links, then the chip's own network

  using Faults =
      std::map<std::pair<std::uint32_t, base::PortIndex>, LinkFaults>;  // by (node, port); others are healthy
  struct Fabric {  // the same for every router of a machine
    const LinkParams& params;
    const base::Topology& topology;
    const base::Routes& routes;
    const Faults& faults;
  };
  // The meter of each port; null for a port of a switch that is not simulated.
  using MeterOf = std::function<sim::Meter*(base::PortIndex)>;
  // `meter` is that of the router itself.
  Router(sc_core::sc_module_name name, std::uint32_t node, const Fabric& fabric, sim::Meter& meter,
         const MeterOf& meter_of);

  // Null if the fabric has no such link, or the link is dead.
  LinkPort* port(base::PortIndex p) { return p < ports_.size() ? ports_[p].get() : nullptr; }
  std::uint32_t buffers() const { return static_cast<std::uint32_t>(buffers_.size()); }
  // Only the router of a chip may be bound to one.
  void bind_chip(tlm::tlm_initiator_socket<>& inject, tlm::tlm_target_socket<>& landed) override;

  // Returns the port of a node of the fabric, or none if the fabric has no such link, or the link is dead.
  static std::optional<LinkPort::Place> place_of(const Fabric& fabric, std::uint32_t node,
                                                 base::PortIndex port);

  // Declares that the next socket bound to `in` is a link with the place of its sender, which outlives the
  // router. `back`: a switch's port to the sender.
  void expect_link(const LinkPort::Place& sender, base::PortIndex back);
  // Only a switch of a folded machine has stand-ins: SwitchStage::stand_in.
  void stand_in(base::PortIndex port, const Renaming& names) { switch_->stand_in(port, names); }

  // After the run: checks that no packet is left. Returns what a port has sent, how long its chip had to wait
  // for it, and the most packets at one time in the buffers of a link that ends here or on their way to them.
  void check_empty() const;
  base::LinkMeasurement measure(base::PortIndex port, base::Time elapsed) const;
  std::uint64_t high_water(const LinkPort::Place& sender) const;

 private:
  struct Buffer {
    sim::Fifo<sim::Payload*> packets;
    std::uint64_t bytes = 0;
    std::uint32_t input = 0;
    std::uint32_t slot = 0;  // its place in the turns of the port
    base::Way way;           // route of its first packet; `minimal` only if routing is adaptive
  };
  struct Input {
    const LinkPort::Place* sender = nullptr;  // null: the node's own chip
    base::PortIndex back = 0;                 // of a switch, to the sender
    std::uint32_t first_buffer = 0;
    std::uint64_t packets = 0, high_water = 0;  // at the time of the latest packet
    sim::Fifo<base::Time> departures;           // after that
    void count(base::Time sent);
  };
  struct OwnQueue {  // of the chip's packets for one port
    sim::Fifo<sim::Payload*> refused;
    base::Time refused_since{0};
    base::Duration full{0};
  };

  Departure departure(const LinkPort& port) override;
  void depart(const Departure& departure, base::Time tail) override;

  tlm::tlm_sync_enum on_request(int input, sim::Payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay);
  bool take_own(sim::Payload& payload);
  base::PortIndex own_port(const sim::Payload& payload) const;
  void add_buffers(std::uint64_t count);
  void enter(std::uint32_t buffer, sim::Payload& payload);
  base::Way way_at_switch(std::uint32_t buffer);
  void settle();
  void grant_refused(base::PortIndex port);
  base::Way way_of(const sim::Payload& payload) const;
  void request(std::uint32_t buffer);
  void withdraw(std::uint32_t buffer);
  std::uint8_t vc_in_order(const Buffer& buffer) const;
  bool consider(std::uint32_t buffer, const LinkPort& port, Departure& found) const;
  bool find_vc(const Buffer& buffer, const LinkPort& port, std::uint8_t& vc) const;
  base::Time next_head(const PortRequests& requests) const;
  LinkPort& port_at(base::PortIndex index) { return index == ports_.size() ? *to_chip_ : *ports_[index]; }
  void give_back(const Input& input, int number, sim::Payload& payload, base::Time head, base::Time tail);

  const Fabric fabric_;
  sim::Meter& meter_;
  std::unique_ptr<SwitchStage> switch_;  // null: the router of a chip
  std::vector<std::unique_ptr<LinkPort>> ports_;
  std::unique_ptr<LinkPort> to_chip_;
  sim::BandwidthServer from_chip_;
  std::vector<Input> inputs_;
  std::vector<Buffer> buffers_;
  std::vector<PortRequests> requests_;  // by port, the chip's behind the links'
  std::vector<OwnQueue> own_;           // by port
  std::uint32_t first_own_ = 0;         // buffer of the chip's packets for port 0
};

}  // namespace tahoma::model
