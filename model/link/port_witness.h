// SPDX-License-Identifier: Apache-2.0
// Observes all inputs and decisions of a port. Another model of the port, such as the SystemVerilog one, uses
// it to run in lock step and compare results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "model/link/word_clock.h"
#include "model/sim/packet.h"

namespace tahoma::model {

struct LinkParams;

class PortWitness {
 public:
  virtual ~PortWitness() = default;
  // The router's `buffer` has a packet for the port, for virtual channel `vc` of the receiver,
  // from `head` on.
  virtual void asked(std::uint32_t buffer, std::uint8_t vc, const sim::PacketInfo& packet,
                     base::Time head) = 0;
  // `bytes` of the receiver's buffer are known to be free from `when` on.
  virtual void credited(std::uint8_t vc, std::uint64_t bytes, base::Time when) = 0;
  // The buffer's packet occupies the wire from `start` (now) to `end`; `rooms` is the free space of the
  // virtual channels before it.
  virtual void sent(std::uint32_t buffer, base::Time start, base::Time end,
                    std::span<const std::uint64_t> rooms) = 0;
  // The run is over and nothing is in flight.
  virtual void ended() = 0;
};

// The port that a witness observes.
struct PortSite {
  std::string path;  // of the port
  const LinkParams& params;
  WordClock clock;
  std::uint32_t buffers;  // that may request the port
};
using PortWitnessMaker = std::function<std::unique_ptr<PortWitness>(const PortSite&)>;

}  // namespace tahoma::model
