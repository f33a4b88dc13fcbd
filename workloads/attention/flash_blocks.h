// SPDX-License-Identifier: Apache-2.0
// Blocks of keys and values on chip. A block is loaded on first use and kept until its space is needed for
// another block. If a head fits in addition to the blocks in flight, it is loaded once.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

struct FlashBlock {
  std::vector<runtime::TileView> k;  // per part of d: [part of d, keys]
  runtime::TileView v;  // [chunk, chunks x value_pitch]: each chunk's values, then a column of ones
};

// Steps whose blocks may be in use at the same time: those whose maxima are computed ahead, the one whose
// probabilities are computed, and the one whose products are.
inline constexpr unsigned kFlashStepsInFlight = 6;

class FlashBlocks {
 public:
  // Uses `room` bytes of each partition, but never fewer than kFlashStepsInFlight + 1 blocks.
  FlashBlocks(runtime::Kernel& kernel, const FlashShape& shape, const FlashTiling& tiling,
              const FlashViews& views, std::uint64_t room);

  const FlashBlock& block(const FlashStep& step);

  static std::uint64_t bytes_of(const FlashShape& shape, const FlashTiling& tiling);  // of a block

 private:
  struct Held {
    FlashBlock block;
    std::uint64_t kv_head = UINT64_MAX, number = 0, used = 0;
  };
  void make(Held& held);
  void load(Held& held);
  void load_keys(const Held& held, std::uint64_t first_key, unsigned at, unsigned count);

  runtime::Kernel& kernel_;
  FlashShape shape_;
  FlashTiling tiling_;
  FlashViews views_;
  std::vector<Held> held_;
  std::uint64_t uses_ = 0;
};

}  // namespace tahoma::workloads
