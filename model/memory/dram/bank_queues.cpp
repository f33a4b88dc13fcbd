// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/bank_queues.h"

namespace tahoma::model::dram {

namespace {

void set(std::uint64_t& mask, std::uint32_t bit, bool value) {
  mask = (mask & ~(std::uint64_t{1} << bit)) | (std::uint64_t{value} << bit);
}

}  // namespace

void BankQueues::note(std::uint32_t bank, Direction d) {
  const List& list = banks_[bank].lists[d];
  set(work_[d], bank, list.oldest != kNobody);
  set(hits_[d], bank, list.hits > 0);
  set(older_miss_[d], bank, list.oldest != kNobody && list.oldest != list.hit);
}

void BankQueues::push(std::uint32_t bank, Direction d, const Queued& segment) {
  std::uint32_t index = free_;
  if (index == kNobody) {
    index = static_cast<std::uint32_t>(pool_.size());
    pool_.emplace_back();
  } else {
    free_ = pool_[index].younger;
  }
  List& list = banks_[bank].lists[d];
  pool_[index] = segment;
  pool_[index].older = list.youngest;
  pool_[index].younger = kNobody;
  (list.youngest == kNobody ? list.oldest : pool_[list.youngest].younger) = index;
  list.youngest = index;
  if (segment.row == banks_[bank].row) {
    if (list.hits++ == 0) list.hit = index;
  }
  note(bank, d);
}

void BankQueues::pop(std::uint32_t bank, Direction d) {
  List& list = banks_[bank].lists[d];
  const std::uint32_t index = list.hit;
  const Queued& done = pool_[index];
  (done.older == kNobody ? list.oldest : pool_[done.older].younger) = done.younger;
  (done.younger == kNobody ? list.youngest : pool_[done.younger].older) = done.older;
  std::uint32_t next = kNobody;
  if (--list.hits > 0)
    for (next = done.younger; pool_[next].row != banks_[bank].row;) next = pool_[next].younger;
  list.hit = next;
  pool_[index].younger = free_;
  free_ = index;
  note(bank, d);
}

void BankQueues::find_hits(std::uint32_t bank, Direction d) {
  List& list = banks_[bank].lists[d];
  list.hits = 0;
  list.hit = kNobody;
  for (std::uint32_t s = list.oldest; s != kNobody; s = pool_[s].younger) {
    if (pool_[s].row != banks_[bank].row) continue;
    if (list.hits++ == 0) list.hit = s;
  }
  note(bank, d);
}

void BankQueues::opened(std::uint32_t bank, std::uint32_t row) {
  banks_[bank].row = row;
  set(open_, bank, true);
  for (const Direction d : kDirections) find_hits(bank, d);
}

void BankQueues::closed(std::uint32_t bank) {
  banks_[bank].row = kNoRow;
  set(open_, bank, false);
  for (const Direction d : kDirections) {
    banks_[bank].lists[d].hits = 0;
    banks_[bank].lists[d].hit = kNobody;
    note(bank, d);
  }
}

}  // namespace tahoma::model::dram
