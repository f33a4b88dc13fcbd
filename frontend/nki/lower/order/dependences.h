// SPDX-License-Identifier: Apache-2.0
// Which entries of a trace must follow which. Entry b depends on an earlier entry a if
//   - they access common bytes of a tensor and one of them writes (tensor_regions.h); or
//   - a is in b's `after`; or
//   - one of them is a fence: it works on registers, or it is a barrier or an exchange; or
//   - they share state that is not in memory: the generators of random numbers of an engine, the accumulators
//     of an engine of which some entry continues a reduction, and rendezvous with the other core, whose order
//     both cores must agree on.
// Any order that keeps all dependences computes the same values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

class Dependences {
 public:
  Dependences(const Trace& trace, const std::vector<isa::Queue>& queues);

  std::size_t size() const { return first_.size() - 1; }
  // The earlier entries that `entry` must follow, ascending, each once. Others may follow from these.
  std::span<const std::uint32_t> before(std::uint32_t entry) const {
    return {list_.data() + first_[entry], first_[entry + 1] - first_[entry]};
  }

 private:
  std::vector<std::size_t> first_;  // those of entry e are list_[first_[e] .. first_[e + 1])
  std::vector<std::uint32_t> list_;
};

// The same edges from the other end: the entries that must follow each.
class Followers {
 public:
  explicit Followers(const Dependences& dependences);
  std::span<const std::uint32_t> of(std::uint32_t entry) const {
    return {list_.data() + first_[entry], first_[entry + 1] - first_[entry]};
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> list_;
};

}  // namespace tahoma::runtime::nki
