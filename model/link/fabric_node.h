// SPDX-License-Identifier: Apache-2.0
// The node of a chip in the fabric, as the chip sees it: the chip's packets enter the fabric here, and
// packets for the chip leave it. It is a router whose ports send packets (router.h), or a gate to a network
// that sends flits (flits/flit_gate.h).
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

namespace tahoma::model {

class FabricNode : public sc_core::sc_module {
 public:
  FabricNode(sc_core::sc_module_name name, std::uint32_t node) : sc_module(name), node_(node) {}

  std::uint32_t node() const { return node_; }
  // Binds the chip's own network, which sends through `inject` and receives at `landed`. Called after every
  // link is bound.
  virtual void bind_chip(tlm::tlm_initiator_socket<>& inject, tlm::tlm_target_socket<>& landed) = 0;

 private:
  std::uint32_t node_;
};

}  // namespace tahoma::model
