// SPDX-License-Identifier: Apache-2.0
// The NeuronLink router of a chip: its six ports, and for each arriving packet the decision where it goes
// next. Packets that find no place in their port wait where they are, and are granted one in order of asking.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "model/link/link_port.h"

namespace tahoma::model {

class Router : public sc_core::sc_module, private PlaceWatcher {
 public:
  tlm_utils::multi_passthrough_target_socket<Router> in{"in"};  // incoming links, then the chip's own network
  tlm_utils::simple_initiator_socket<Router> deliver{"deliver"};  // packets for this chip, at their last byte

  Router(sc_core::sc_module_name name, std::uint32_t chip, const Torus& torus, const LinkParams& params,
         sim::Meter& meter);

  // Which direction the next socket bound to `in` brings packets in; nullopt: injected here. Called in order
  // of binding.
  void expect_input(std::optional<Port> travelling);
  LinkPort* port(Port p) {
    return ports_[static_cast<std::size_t>(p)].get();
  }  // null where the torus has none

 private:
  struct Refused {
    int input;
    sim::Payload* payload;
  };
  tlm::tlm_sync_enum on_request(int input, sim::Payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay);
  void place_free(Port port) override;
  bool continuing(int input, Port out) const { return inputs_.at(static_cast<std::size_t>(input)) == out; }
  void eject(sim::Payload& payload);
  void wake();
  void deliver_due();

  std::uint32_t chip_;
  const Torus& torus_;
  sim::Meter& meter_;
  std::array<std::unique_ptr<LinkPort>, kPorts> ports_;
  std::vector<std::optional<Port>> inputs_;
  std::array<std::deque<Refused>, kPorts> refused_;
  std::deque<sim::Payload*> ejecting_;  // by (tail, order of arrival)
  sc_core::sc_event due_;
};

}  // namespace tahoma::model
