// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/bank_queues.h"

namespace tahoma::model::dram {

// Updates the masks for a bank with work.
void BankQueues::update_masks(std::uint32_t bank, Direction d) {
  const BankList& list = banks_[bank].lists[d];
  const std::uint64_t unit = bit(bank);
  work_[d] |= unit;
  hits_[d] = list.hits > 0 ? hits_[d] | unit : hits_[d] & ~unit;
  older_miss_[d] = list.oldest != list.hit ? older_miss_[d] | unit : older_miss_[d] & ~unit;
}

void BankQueues::push(std::uint32_t bank, Direction d, const Queued& segment) {
  QueueIndex index = free_;
  if (index == kNoSegment) {
    index = static_cast<QueueIndex>(pool_.size());
    pool_.emplace_back();
  } else {
    free_ = pool_[index].younger;
  }
  BankList& list = banks_[bank].lists[d];
  pool_[index] = segment;
  pool_[index].older = list.youngest;
  pool_[index].younger = kNoSegment;
  (list.youngest == kNoSegment ? list.oldest : pool_[list.youngest].younger) = index;
  list.youngest = index;
  if (segment.row == banks_[bank].row) {
    if (list.hits++ == 0) list.hit = index;
  }
  update_masks(bank, d);
}

void BankQueues::pop(std::uint32_t bank, Direction d) {
  BankList& list = banks_[bank].lists[d];
  const QueueIndex index = list.hit;
  const Queued& done = pool_[index];
  (done.older == kNoSegment ? list.oldest : pool_[done.older].younger) = done.younger;
  (done.younger == kNoSegment ? list.youngest : pool_[done.younger].older) = done.older;
  QueueIndex next = kNoSegment;
  if (--list.hits > 0)
    for (next = done.younger; pool_[next].row != banks_[bank].row;) next = pool_[next].younger;
  list.hit = next;
  pool_[index].younger = free_;
  free_ = index;
  if (list.oldest != kNoSegment) return update_masks(bank, d);
  work_[d] &= ~bit(bank);
  hits_[d] &= ~bit(bank);
  older_miss_[d] &= ~bit(bank);
}

void BankQueues::find_hits(std::uint32_t bank, Direction d) {
  BankList& list = banks_[bank].lists[d];
  list.hits = 0;
  list.hit = kNoSegment;
  for (QueueIndex s = list.oldest; s != kNoSegment; s = pool_[s].younger) {
    if (pool_[s].row != banks_[bank].row) continue;
    if (list.hits++ == 0) list.hit = s;
  }
  update_masks(bank, d);
}

void BankQueues::opened(std::uint32_t bank, std::uint32_t row) {
  banks_[bank].row = row;
  open_ |= bit(bank);
  for (const Direction d : kDirections)
    if ((work_[d] & bit(bank)) != 0) find_hits(bank, d);
}

void BankQueues::closed(std::uint32_t bank) {
  banks_[bank].row = kNoRow;
  open_ &= ~bit(bank);
  for (const Direction d : kDirections) {
    if ((work_[d] & bit(bank)) == 0) continue;
    banks_[bank].lists[d].hits = 0;
    banks_[bank].lists[d].hit = kNoSegment;
    update_masks(bank, d);
  }
}

}  // namespace tahoma::model::dram
