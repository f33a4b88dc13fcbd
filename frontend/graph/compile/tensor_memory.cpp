// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/compile/tensor_memory.h"

#include <algorithm>
#include <numeric>

#include "workloads/common/transposed_load.h"

namespace tahoma::workloads::graph {

namespace {

constexpr std::uint64_t kAlignedBytes = 64;  // an access to HBM

class BlockPlanner {
 public:
  explicit BlockPlanner(const Lowering& lowering)
      : slots_(lowering.slots()), entries_(lowering.plans().size()) {}

  MemoryPlan plan() {
    plan_.block_of.resize(slots_.size());
    plan_.intact.assign(slots_.size(), true);
    std::vector<std::vector<SlotId>> born(entries_), dead(entries_);
    for (SlotId s = 0; s < slots_.size(); ++s) {
      const Slot& slot = slots_[s];
      const bool kept = slot.input || slot.values || slot.rows_of || slot.output || !slot.life;
      (kept ? plan_.kept : plan_.passing) += stored_bytes(slot);
      if (kept) continue;
      born[slot.life->first].push_back(s);
      dead[slot.life->last].push_back(s);
    }
    for (std::size_t entry = 0; entry < entries_; ++entry) {
      for (const SlotId s : born[entry]) take(s);
      for (const SlotId s : dead[entry]) free_.push_back(*plan_.block_of[s]);
    }
    return std::move(plan_);
  }

 private:
  void take(SlotId s) {
    const std::uint64_t bytes = stored_bytes(slots_[s]);
    const auto size = [&](BlockId block) { return plan_.blocks[block]; };
    auto best = free_.end();
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      const bool fits = size(*block) >= bytes, best_fits = best != free_.end() && size(*best) >= bytes;
      const bool better = best == free_.end() || (fits ? !best_fits || size(*block) < size(*best)
                                                       : !best_fits && size(*block) > size(*best));
      if (better) best = block;
    }
    BlockId block = static_cast<BlockId>(plan_.blocks.size());
    if (best == free_.end()) {
      plan_.blocks.push_back(bytes);
      occupant_.push_back(s);
    } else {
      block = *best;
      free_.erase(best);
      plan_.intact[occupant_[block]] = false;
      occupant_[block] = s;
      plan_.blocks[block] = std::max(plan_.blocks[block], bytes);
    }
    plan_.block_of[s] = block;
  }

  const std::vector<Slot>& slots_;
  std::size_t entries_;
  std::vector<BlockId> free_;
  std::vector<SlotId> occupant_;  // by block: the latest
  MemoryPlan plan_;
};

}  // namespace

std::uint64_t MemoryPlan::peak() const { return std::accumulate(blocks.begin(), blocks.end(), kept); }

// Some rows more than the tensor has: transposing loads read them (workloads/common/transposed_load.h).
std::uint64_t stored_elements(const Slot& slot) {
  const std::uint64_t row =
      slot.dims.empty() ? 1 : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(slot.dims.back()));
  return elements_of(slot.dims) + std::max(slot.spare, kTransposeRows * row);
}

std::uint64_t stored_bytes(const Slot& slot) {
  const std::uint64_t bytes = stored_elements(slot) * isa::size_of(slot.dtype);
  return (bytes + kAlignedBytes - 1) / kAlignedBytes * kAlignedBytes;
}

MemoryPlan plan_memory(const Lowering& lowering) { return BlockPlanner(lowering).plan(); }

}  // namespace tahoma::workloads::graph
