// SPDX-License-Identifier: Apache-2.0
// The queued segments of one pseudo-channel, by bank and direction, each list in order of age. Each list also
// keeps the number of its segments that need the open row, and the oldest of them. Bit masks tell which banks
// have work, so no list is ever searched.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/memory/dram/bank_state.h"

namespace tahoma::model::dram {

struct Queued {
  std::uint64_t age = 0;  // smaller is older
  Tick admitted = 0, first = 0;
  std::uint32_t row = 0, tag = 0;
  std::uint16_t accesses = 0, left = 0;
  QueueIndex older = 0, younger = 0;  // neighbours in the list of its bank
};

inline constexpr std::uint32_t kNoBank = ~0U;  // no bank

class BankQueues {
 public:
  // `banks` belongs to the pseudo-channel and is shared with its rules.
  explicit BankQueues(Banks& banks) : banks_(banks) {}

  // Prefetches the data of the next decisions into the host's caches.
  void fetch() const {
    // The segment freed last is reused first, so a few segments at the start of the pool serve most requests.
    dram::fetch(pool_.data(), pool_.data() + std::min<std::size_t>(pool_.size(), 12));
    for (std::uint64_t left = work_[kReading] | work_[kWriting]; left != 0; left &= left - 1)
      dram::fetch(&banks_[first_of(left)], &banks_[first_of(left)] + 1);
  }

  void push(std::uint32_t bank, Direction direction, const Queued& segment);
  void pop(std::uint32_t bank, Direction direction);  // removes the list's `hit`, which is complete
  void opened(std::uint32_t bank, std::uint32_t row);
  void closed(std::uint32_t bank);

  const BankList& list(std::uint32_t bank, Direction d) const { return banks_[bank].lists[d]; }
  std::uint32_t open_row(std::uint32_t bank) const { return banks_[bank].row; }
  Queued& at(QueueIndex index) { return pool_[index]; }
  const Queued& at(QueueIndex index) const { return pool_[index]; }

  // The result has one bit per bank.
  std::uint64_t with_work(Direction d) const { return work_[d]; }
  std::uint64_t with_hits(Direction d) const { return hits_[d]; }
  // Banks whose oldest segment needs a row that is not open.
  std::uint64_t with_older_miss(Direction d) const { return older_miss_[d]; }
  std::uint64_t open() const { return open_; }

 private:
  void find_hits(std::uint32_t bank, Direction d);
  void update_masks(std::uint32_t bank, Direction d);

  Banks& banks_;
  std::vector<Queued> pool_;
  QueueIndex free_ = kNoSegment;
  std::array<std::uint64_t, 2> work_{}, hits_{}, older_miss_{};
  std::uint64_t open_ = 0;
};

}  // namespace tahoma::model::dram
