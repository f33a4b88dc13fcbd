// SPDX-License-Identifier: Apache-2.0
// HBM of a graph on one core. Inputs, constants and outputs have memory of their own. Other tensors live from
// the entry of the plan that computes them to the last one that reads them; tensors whose lives do not
// overlap may share a block. Policy: at its birth a tensor takes the smallest free block that is large
// enough, else the largest free one, which grows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/graph/lower/graph_lowering.h"

namespace tahoma::workloads::graph {

using BlockId = std::uint32_t;

struct MemoryPlan {
  std::vector<std::optional<BlockId>> block_of;  // by slot; none: memory of its own
  std::vector<std::uint64_t> blocks;             // bytes
  std::vector<bool> intact;                      // by slot: no later tensor has its block
  std::uint64_t kept = 0;                        // bytes of tensors with memory of their own
  std::uint64_t passing = 0;                     // sum of all others
  std::uint64_t peak() const;                    // with shared blocks, all in all
};

// Elements that the slot takes in HBM, with those behind it that kernels may read.
std::uint64_t stored_elements(const Slot& slot);
std::uint64_t stored_bytes(const Slot& slot);  // a multiple of 64

MemoryPlan plan_memory(const Lowering& lowering);

}  // namespace tahoma::workloads::graph
