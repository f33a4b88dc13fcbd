// SPDX-License-Identifier: Apache-2.0
// Registers of the sequencers. A virtual register of the kernel has a value on every queue that uses it: each
// of these queues computes it for itself. This assigns the numbers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "frontend/nki/record/trace.h"
#include "isa/core/instruction.h"

namespace tahoma::runtime::nki {

class QueueRegisters {
 public:
  QueueRegisters(const Trace& trace, const std::vector<isa::Queue>& queues);

  // The queues that have anything to do; all of them go through every loop.
  const std::vector<isa::Queue>& participants() const { return participants_; }

  // The queues that use the value of a virtual register, directly or through what is computed from it.
  std::vector<isa::Queue> queues_of(std::uint32_t reg) const;
  // Its number on a queue. Throws UserError E-NKI-024 if a queue has no registers left.
  std::uint8_t number(std::uint32_t reg, isa::Queue queue);
  // For an intermediate value that the next instruction of the queue uses; there are kScratch of them.
  std::uint8_t scratch(isa::Queue queue);
  // Registers that no entry after `entry` uses become free.
  void release(std::uint32_t entry);

 private:
  static constexpr unsigned kScratch = 4;
  using Set = std::array<bool, isa::kQueueCount>;

  struct Use {
    std::uint32_t last = 0;  // entry
    Set on{};
  };
  void use(std::uint32_t reg, isa::Queue queue, std::uint32_t entry);

  std::vector<isa::Queue> participants_;
  std::vector<Use> uses_;                                                  // by virtual register
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint8_t> numbers_;  // by register and queue
  std::array<std::array<bool, isa::kRegisters>, isa::kQueueCount> taken_{};
  std::array<unsigned, isa::kQueueCount> next_scratch_{};
};

}  // namespace tahoma::runtime::nki
