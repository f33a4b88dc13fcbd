// SPDX-License-Identifier: Apache-2.0
// Counts what one direction of a link has sent, in total and by pair of chips.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "model/base/measurements.h"
#include "model/base/topology/topology.h"
#include "model/sim/bandwidth_server.h"
#include "model/sim/packet.h"

namespace tahoma::model {

struct MeasuredLink {
  base::PortIndex port = 0;
  base::LinkMeasurement link;
};

class LinkCounter {
 public:
  struct Ends {
    std::string path;                // of the sending side
    std::uint32_t from = 0, to = 0;  // nodes
    char axis = 'x';
  };

  void packet(const sim::PacketInfo& info, std::uint64_t wire_bytes) {
    counted_.payload_bytes += info.carried;
    counted_.wire_bytes += wire_bytes;
    ++counted_.packets;
    const std::uint64_t key = std::uint64_t{info.from_chip} << 32 | info.to_chip;
    if (last_flow_ == nullptr || last_flow_->first != key) last_flow_ = &*flows_.try_emplace(key, 0).first;
    last_flow_->second += info.carried;
  }
  void blocked(base::Duration time) { counted_.blocked += time; }

  base::LinkMeasurement measure(const Ends& ends, const sim::BandwidthServer& wire) const {
    base::LinkMeasurement m = counted_;
    m.path = ends.path;
    m.from_chip = ends.from;
    m.to_chip = ends.to;
    m.axis = ends.axis;
    m.busy = wire.busy();
    m.peak = wire.rate();
    m.series = wire.series();
    for (const auto& [key, bytes] : flows_)
      m.flows.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), bytes});
    std::sort(m.flows.begin(), m.flows.end(), [](const base::LinkFlow& a, const base::LinkFlow& b) {
      return std::pair(a.from_chip, a.to_chip) < std::pair(b.from_chip, b.to_chip);
    });
    return m;
  }

 private:
  base::LinkMeasurement counted_;
  std::unordered_map<std::uint64_t, std::uint64_t> flows_;  // bytes by (from_chip << 32 | to_chip)
  std::pair<const std::uint64_t, std::uint64_t>* last_flow_ = nullptr;
};

}  // namespace tahoma::model
