// SPDX-License-Identifier: Apache-2.0
#include "isa/core/distinct_instructions.h"

#include "isa/core/instruction_hash.h"

namespace tahoma::isa {

const Instruction& DistinctInstructions::one_of(const Instruction& instruction, std::uint64_t hash) {
  const auto [from, to] = by_hash_.equal_range(hash);
  for (auto known = from; known != to; ++known)
    if (identical(*known->second, instruction)) return *known->second;
  kept_.push_back(instruction);
  by_hash_.emplace(hash, &kept_.back());
  return kept_.back();
}

}  // namespace tahoma::isa
