// SPDX-License-Identifier: Apache-2.0
#include "model/link/flits/flit_wire.h"

#include <algorithm>
#include <utility>

#include "model/base/error.h"

namespace tahoma::model {

using base::Time;

FlitWire::FlitWire(const LinkPort::Place& place, std::string path, std::uint32_t input, std::uint32_t vcs)
    : place_(place), path_(std::move(path)), input_(input), server_(place.rate), starts_(vcs) {}

void FlitWire::send(const Flit& flit, Time start, Time end, std::uint64_t bytes, sim::Meter& meter) {
  server_.occupy(start, end);
  const sim::PacketInfo& info = sim::info_of(*flit.packet);
  if (flit.head) {
    starts_[flit.vc] = start;
    counter_.packet(info, bytes);
    ++meter.link_packet_hops;
    most_packets_ = std::max(most_packets_, ++packets_);
  }
  if (flit.tail && meter.timeline != nullptr)
    meter.timeline->link({path_.c_str(), place_.from, info.from_chip, info.to_chip, info.carried, bytes,
                          starts_[flit.vc], end});
}

base::LinkMeasurement FlitWire::measure(Time elapsed) const {
  TAHOMA_INVARIANT(server_.busy() <= elapsed, path_ + ": above capacity");
  base::LinkMeasurement m = counter_.measure({path_, place_.from, place_.to, place_.axis}, server_);
  m.queue_high_water = most_packets_;
  return m;
}

}  // namespace tahoma::model
