// SPDX-License-Identifier: Apache-2.0
// The fabric at the level of flits: the routers and links of a machine, which all act in the cycles of one
// clock. The module has one activation per cycle while a flit or a credit is anywhere, at the end of the
// cycle, when everything that the chips have offered in it is known.
//
// A flit that wins the switch in cycle c is on its wire in c + 1, and at the next router `wire` cycles later.
// The credit for it returns within the `wire` of the way back, plus one cycle. Paths between chip and router
// have `local_wire` instead.
//
// Invariants of every run: a wire carries one flit per cycle at most; no buffer overflows; all flits and
// credits are back at the end; flits never wait for each other in a cycle.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "model/link/flits/delay_line.h"
#include "model/link/flits/flit_gate.h"
#include "model/link/flits/flit_router.h"
#include "model/link/flits/flit_wire.h"
#include "model/sim/wake.h"

namespace tahoma::model {

class FlitNetwork : public sc_core::sc_module {
 public:
  // The gates of all chips, by number. They and the fabric outlive the network.
  FlitNetwork(sc_core::sc_module_name name, const Router::Fabric& fabric, std::vector<FlitGate*> gates,
              sim::Meter& meter);

  // After the run: the links that leave a node, in the order of its ports. Checks that the network is empty.
  std::vector<MeasuredLink> measure_node(std::uint32_t node, base::Time elapsed) const;

 private:
  struct ToRouter {
    std::uint32_t node, input;
    Flit flit;
  };
  struct Credit {  // for the virtual channel of a router's output, or for the gate of a node
    std::uint32_t node, output;
    std::uint8_t vc;
  };
  struct Node {
    std::unique_ptr<FlitRouter> router;
    std::vector<std::unique_ptr<FlitWire>> wires;  // by port; null: no link
    std::vector<LinkPort::Place> senders;          // of its inputs; the chip's input is behind them
  };

  void build_nodes();
  void build_router(std::uint32_t node);
  FlitWay route(std::uint32_t node, std::uint32_t input, const Flit& head) const;
  void offered();
  void wake();
  void step();
  void deliver();
  bool send_from_chips();
  bool step_routers();
  void forward(std::uint32_t node, const FlitRouter::Departure& departure);
  void return_credit(std::uint32_t node, const FlitRouter::Departure& departure);
  void check_progress(bool moved) const;
  bool all_arrived() const;
  base::Duration cycle_length() const { return law_.start_of(cycle_ + 2) - law_.start_of(cycle_ + 1); }

  const Router::Fabric fabric_;
  const FlitLaw law_;
  const FlitRouting routing_;
  const std::vector<FlitGate*> gates_;
  sim::Meter& meter_;
  std::vector<Node> nodes_;
  DelayLine<ToRouter> on_links_, from_chips_;
  DelayLine<Credit> link_credits_, chip_credits_,
      gate_credits_;           // of links, of paths to chips and from chips
  std::int64_t cycle_ = 0;     // the next one
  std::uint64_t packets_ = 0;  // that have entered and not left
  sim::Wake wake_ = sim::Wake::calling<&FlitNetwork::wake>(this);
};

}  // namespace tahoma::model
