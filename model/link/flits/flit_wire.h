// SPDX-License-Identifier: Apache-2.0
// One direction of a link that carries a flit per cycle: what it has sent, and the packets behind it.
#pragma once

#include <string>
#include <vector>

#include "model/link/flits/flit.h"
#include "model/link/link_counter.h"
#include "model/link/link_port.h"
#include "model/sim/meter.h"

namespace tahoma::model {

class FlitWire {
 public:
  // `path` is that of the sending side, `input` that of the router at the far end.
  FlitWire(const LinkPort::Place& place, std::string path, std::uint32_t input, std::uint32_t vcs);

  std::uint32_t to() const { return place_.to; }
  std::uint32_t input() const { return input_; }

  // A flit is on the wire from `start` to `end`; `bytes` are those of its packet, in whole flits.
  void send(const Flit& flit, base::Time start, base::Time end, std::uint64_t bytes, sim::Meter& meter);
  void starve(base::Duration cycle) { counter_.blocked(cycle); }
  // The last flit of a packet has left the buffer at the far end.
  void packet_left() { --packets_; }

  base::LinkMeasurement measure(base::Time elapsed) const;

 private:
  LinkPort::Place place_;
  std::string path_;
  std::uint32_t input_;
  sim::BandwidthServer server_;
  LinkCounter counter_;
  std::vector<base::Time> starts_;                // of the packet on each virtual channel
  std::uint64_t packets_ = 0, most_packets_ = 0;  // on the wire and in the buffers at the far end
};

}  // namespace tahoma::model
