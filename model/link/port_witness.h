// SPDX-License-Identifier: Apache-2.0
// Sees everything that a port decides upon and what it decides: how another model of the port, in
// SystemVerilog for one, runs beside it and is compared.
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
  // The router's `buffer` has a packet for the port, for virtual channel `vc` on the far side, from `head`
  // on.
  virtual void asked(std::uint32_t buffer, std::uint8_t vc, const sim::PacketInfo& packet,
                     base::Time head) = 0;
  // So many bytes of the far side's buffer are known to be free, from `when` on.
  virtual void credited(std::uint8_t vc, std::uint64_t bytes, base::Time when) = 0;
  // That buffer's packet is on the wire from `start`, now, to `end`; `rooms` of the virtual channels before
  // that.
  virtual void sent(std::uint32_t buffer, base::Time start, base::Time end,
                    std::span<const std::uint64_t> rooms) = 0;
  // The run is over: nothing is under way any more.
  virtual void ended() = 0;
};

// What a witness is made for.
struct PortSite {
  std::string path;  // of the port
  const LinkParams& params;
  WordClock clock;
  std::uint32_t buffers;  // that may ask for it
};
using PortWitnessMaker = std::function<std::unique_ptr<PortWitness>(const PortSite&)>;

}  // namespace tahoma::model
