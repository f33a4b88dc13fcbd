// SPDX-License-Identifier: Apache-2.0
// Translates one chip's names of chips, cores and addresses to those of an equal chip, whose place it takes
// in a folded machine (model/system/folding).
#pragma once

#include <utility>

#include "isa/core/program.h"
#include "model/base/cause.h"
#include "model/base/topology/symmetries.h"
#include "model/sim/packet.h"

namespace tahoma::model {

class Renaming {
 public:
  Renaming(base::NodeMap chips, std::uint32_t cores_per_chip)
      : chips_(std::move(chips)), cores_(cores_per_chip) {}

  const base::NodeMap& chips() const { return chips_; }
  // Switches, whose numbers follow those of the chips, keep them.
  std::uint32_t chip(std::uint32_t number) const { return number < chips_.size() ? chips_[number] : number; }
  std::uint32_t core(std::uint32_t number) const {
    return number == sim::kNoCore ? number : chip(number / cores_) * cores_ + number % cores_;
  }
  std::uint64_t address(std::uint64_t global) const {
    isa::GlobalAddress a = isa::GlobalAddress::from(global);
    a.chip = chip(a.chip);
    return a.bits();
  }
  std::uint64_t cause(std::uint64_t cause) const {
    if (cause == 0) return cause;
    const std::uint64_t queue = base::queue_of_cause(cause);
    const std::uint64_t there = core(static_cast<std::uint32_t>(queue / isa::kQueueCount));
    return base::cause_in_queue(cause, there * isa::kQueueCount + queue % isa::kQueueCount);
  }
  // Translates all names in a packet that is on its way through the fabric.
  void rename(sim::Payload& packet) const {
    sim::PacketInfo& info = sim::info_of(packet);
    if (!info.home) info.home = sim::home_of(packet);
    packet.set_address(address(packet.get_address()));
    info.source_core = core(info.source_core);
    info.from_chip = chip(info.from_chip);
    info.to_chip = chip(info.to_chip);
    if (!info.notify) return;
    info.notify->core = core(info.notify->core);
    info.notify->cause = cause(info.notify->cause);
  }

 private:
  base::NodeMap chips_;
  std::uint32_t cores_;
};

}  // namespace tahoma::model
