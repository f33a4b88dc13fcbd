// SPDX-License-Identifier: Apache-2.0
// Measures when a collective ran on a queue: between two marks, which are instructions without effect. The
// first follows the barrier before the collective, the second the wait for the last of its data.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"

namespace tahoma::runtime::collective {

class Stopwatch : public base::Observer {
 public:
  struct Span {  // marks on one queue, counted in program order
    std::uint32_t core = 0;
    isa::Queue queue = isa::Queue::kCc0;
    std::uint32_t first = 0, last = 0;
  };

  void expect(std::uint32_t core, const isa::Program& program);  // finds the marks
  base::Time begin(const Span& span) const { return at(span, span.first); }
  base::Time end(const Span& span) const { return at(span, span.last); }

  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity&) override {}

 private:
  struct Mark {
    std::uint32_t index;
    base::Time start{0};
  };
  static std::size_t key(std::uint32_t core, std::uint8_t queue) {
    return std::size_t{core} * isa::kQueueCount + queue;
  }
  base::Time at(const Span& span, std::uint32_t mark) const;
  std::vector<std::vector<Mark>> marks_;  // by core and queue
};

}  // namespace tahoma::runtime::collective
