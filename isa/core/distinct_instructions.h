// SPDX-License-Identifier: Apache-2.0
// Instructions of many streams, each kept once. The cores of a machine run long programs of few distinct
// instructions: unrolled loops, and ranks that do the same for other peers.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "isa/core/instruction.h"

namespace tahoma::isa {

class DistinctInstructions {
 public:
  // Returns the kept instruction that is identical to `instruction`, which is kept if there is none. `hash`:
  // its hash_with_peers(). Kept instructions neither move nor change.
  const Instruction& one_of(const Instruction& instruction, std::uint64_t hash);
  std::size_t size() const { return kept_.size(); }

 private:
  std::deque<Instruction> kept_;
  std::unordered_multimap<std::uint64_t, const Instruction*> by_hash_;
};

}  // namespace tahoma::isa
