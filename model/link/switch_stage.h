// SPDX-License-Identifier: Apache-2.0
// Extends the router of a chip to that of a switch. The inputs take turns by their distance from the output
// (model/base/topology/switch_turns.h). Packets that move up after a departure are seen in the next round of
// the instant, so that it does not matter which of two outputs acts first. In a folded machine, an output
// stands for equal ones.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/topology/switch_turns.h"
#include "model/link/renaming.h"
#include "model/sim/wake.h"

namespace tahoma::model {

class SwitchStage {
 public:
  // `settle(object)` is called in the round after one that has called moved_up().
  SwitchStage(const base::Topology& topology, std::uint32_t node, std::uint32_t vcs, void* object,
              sim::Wake::Body settle)
      : turns_(topology, node), vcs_(vcs), names_(topology.ports(node)), settle_(object, settle) {}

  std::uint32_t slots() const { return turns_.ports() * vcs_; }
  // The place of a virtual channel of an input in the turns of an output.
  std::uint32_t slot(base::PortIndex in, std::uint32_t vc, base::PortIndex out) const {
    return turns_.of(in, out) * vcs_ + vc;
  }

  // Before the run: packets that would leave through `port` leave through the one that stands for it, with
  // these names.
  void stand_in(base::PortIndex port, const Renaming& names) { names_[port] = &names; }
  const Renaming* names(base::PortIndex port) const { return names_[port]; }  // null: the port is simulated

  // Another packet is the first of the buffer.
  void moved_up(std::uint32_t buffer) {
    moved_up_.push_back(buffer);
    settle_.now();
  }
  std::vector<std::uint32_t> take_moved_up() { return std::exchange(moved_up_, {}); }

 private:
  base::SwitchTurns turns_;
  std::uint32_t vcs_;
  std::vector<const Renaming*> names_;  // by port
  std::vector<std::uint32_t> moved_up_;
  sim::Wake settle_;
};

}  // namespace tahoma::model
