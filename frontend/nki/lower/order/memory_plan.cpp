// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/memory_plan.h"

#include <algorithm>

namespace tahoma::runtime::nki {

namespace {

// For every unit that is taken ahead of its turn, another one stays free (policy): entries whose tensors live
// only for a short time would otherwise share the little that is left, and wait for each other.
constexpr std::int64_t kAhead = 2;

}  // namespace

MemoryPlan::MemoryPlan(const Trace& trace, const Units& capacity)
    : uses_(trace),
      capacity_(capacity),
      tensors_(uses_.storages()),
      started_(trace.entries.size(), false),
      profiles_{MemoryProfile(trace.entries.size()), MemoryProfile(trace.entries.size())} {
  for (std::uint32_t s = 0; s < tensors_.size(); ++s) {
    const auto users = uses_.users(s);
    tensors_[s].end = users.size();
    tensors_[s].incomplete = static_cast<std::uint32_t>(users.size());
    if (!users.empty()) add(s, users.front(), users.back() + 1, 1);
  }
}

bool MemoryPlan::is_feasible() const {
  for (std::size_t m = 0; m < kMemories; ++m)
    if (profiles_[m].most(0, started_.size()) > capacity_[m]) return false;
  return true;
}

Units MemoryPlan::need_of(std::uint32_t entry) const {
  Units need{};
  for (const std::uint32_t s : uses_.of(entry))
    if (!tensors_[s].begun) need = need + uses_.size(s);
  return need;
}

bool MemoryPlan::may_start(std::uint32_t entry, const Units& need) const {
  if (need == Units{}) return true;
  if (!within(held_ + need, capacity_)) return entry == next_ && running_ == 0;
  // The tensors would live from now on instead of from their first entry in the trace's order.
  Units earlier{};
  std::size_t until = next_;
  for (const std::uint32_t s : uses_.of(entry)) {
    const std::size_t first = uses_.users(s).front();
    if (tensors_[s].begun || first == next_) continue;
    earlier = earlier + uses_.size(s);
    until = std::max(until, first);
  }
  for (std::size_t m = 0; m < kMemories; ++m)
    if (earlier[m] > 0 && profiles_[m].most(next_, until) + kAhead * earlier[m] > capacity_[m]) return false;
  return true;
}

bool MemoryPlan::complete(std::uint32_t entry) {
  bool freed = false;
  --running_;
  for (const std::uint32_t s : uses_.of(entry)) {
    if (--tensors_[s].incomplete > 0) continue;
    held_ = held_ - uses_.size(s);
    freed = true;
  }
  return freed || running_ == 0;
}

void MemoryPlan::begin(std::uint32_t storage) {
  tensors_[storage].begun = true;
  held_ = held_ + uses_.size(storage);
  add(storage, next_, uses_.users(storage).front(), kAhead);
}

void MemoryPlan::finish_start(std::uint32_t entry) {
  started_[entry] = true;
  ++running_;
  for (const std::uint32_t s : uses_.of(entry)) shorten(s);
  while (next_ < started_.size() && started_[next_]) ++next_;
}

// The tensor lives until the last of its users that have not started.
void MemoryPlan::shorten(std::uint32_t storage) {
  const auto users = uses_.users(storage);
  std::size_t& end = tensors_[storage].end;
  const std::size_t before = end;
  while (end > 0 && started_[users[end - 1]]) --end;
  if (end == before) return;
  std::size_t first = end > 0 ? users[end - 1] + 1 : next_;
  if (first < users.front()) {
    add(storage, first, users.front(), -kAhead);
    first = users.front();
  }
  add(storage, first, users[before - 1] + 1, -1);
}

void MemoryPlan::add(std::uint32_t storage, std::size_t first, std::size_t end, std::int64_t times) {
  for (std::size_t m = 0; m < kMemories; ++m) profiles_[m].add(first, end, times * uses_.size(storage)[m]);
}

}  // namespace tahoma::runtime::nki
