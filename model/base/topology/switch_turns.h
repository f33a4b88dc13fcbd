// SPDX-License-Identifier: Apache-2.0
// The turns that the inputs of a switch take at an output. They count from the output on, around the ports of
// its kind, so that no port is distinguished: whatever rotates the ports of a switch leaves the turns as they
// are.
#pragma once

#include <vector>

#include "model/base/topology/topology.h"

namespace tahoma::base {

class SwitchTurns {
 public:
  SwitchTurns(const Topology& topology, std::uint32_t node) {
    const PortIndex ports = topology.ports(node);
    for (PortIndex p = 0; p < ports; ++p) {
      const PortKind kind = topology.port(node, p);
      const bool new_kind = p == 0 || kind.axis != axis_ || kind.rate != rate_;
      first_.push_back(new_kind ? p : first_.back());
      axis_ = kind.axis;
      rate_ = kind.rate;
    }
    end_.assign(ports, ports);
    for (PortIndex p = ports; p-- > 1;) end_[p - 1] = first_[p] == first_[p - 1] ? end_[p] : p;
  }

  PortIndex ports() const { return static_cast<PortIndex>(first_.size()); }
  // The place of the input from the node behind port `in`, among those that want to leave through port `out`:
  // 0 .. ports() - 1.
  PortIndex of(PortIndex in, PortIndex out) const {
    if (first_[in] != first_[out]) return in;
    const PortIndex size = end_[in] - first_[in];
    return first_[in] + (in + size - out) % size;
  }

 private:
  std::vector<PortIndex> first_, end_;  // by port: of those of its kind
  char axis_ = 0;
  LinkRate rate_ = LinkRate::kX;
};

}  // namespace tahoma::base
