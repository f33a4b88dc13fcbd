// SPDX-License-Identifier: Apache-2.0
// The activity of core 0 in one run, in the order in which probes count it: instructions in the order of
// execution in each queue, packets of each DMA engine and ring by their start, changes of each semaphore by
// the time at which they become visible.
//
// UserError: E-ACC-012, an event that did not happen; the message lists what did.
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "model/base/activity.h"
#include "studies/validation/accuracy/tables/probe.h"

namespace tahoma::runtime {

class ActivityLog final : public base::Observer, public base::ProbeObserver {
 public:
  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity&) override {}
  void packet(const base::PacketActivity& activity) override;
  void semaphore(const base::SemaphoreActivity& activity) override;

  base::Time when(const Event& event) const;

 private:
  base::Time when(const InstructionEvent& event, const std::string& text) const;
  base::Time when(const PacketEvent& event, const std::string& text) const;
  base::Time when(const SemaphoreEvent& event, const std::string& text) const;

  std::array<std::vector<base::InstructionActivity>, isa::kQueueCount> instructions_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<base::PacketActivity>>
      packets_;  // engine, ring
  std::map<std::uint64_t, std::vector<base::SemaphoreActivity>> semaphores_;
};

}  // namespace tahoma::runtime
