// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/memory/address_space.h"

namespace tahoma::runtime::nki {

void AddressSpace::set(std::vector<Run>& runs, std::int64_t begin, std::int64_t end, std::int64_t last_use) {
  if (begin >= end) return;
  const auto by_end = [](const Run& run, std::int64_t unit) { return run.end <= unit; };
  auto first = std::lower_bound(runs.begin(), runs.end(), begin, by_end);         // has the first unit
  const auto last = std::lower_bound(runs.begin(), runs.end(), end - 1, by_end);  // has the last one
  const std::int64_t start = first == runs.begin() ? 0 : std::prev(first)->end;
  std::vector<Run> made;
  if (start < begin) made.push_back({begin, first->last_use});
  made.push_back({end, last_use});
  if (end < last->end) made.push_back(*last);
  const auto replaced = static_cast<std::size_t>(last - first) + 1;
  const std::size_t kept = std::min(replaced, made.size());
  first = std::copy(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(kept), first);
  if (made.size() > kept)
    runs.insert(first, made.begin() + static_cast<std::ptrdiff_t>(kept), made.end());
  else
    runs.erase(first, first + static_cast<std::ptrdiff_t>(replaced - kept));
}

const std::vector<AddressSpace::Run>& AddressSpace::runs_of(std::int64_t now, std::int64_t until) {
  if (placed_.empty()) return runs_;
  merged_ = runs_;
  for (const Placed& p : placed_)
    if (p.first <= until && now <= p.last) set(merged_, p.begin, p.end, INT64_MAX);
  return merged_;
}

// The border of a bank that a tensor at `at` would cross, or `at`.
std::int64_t AddressSpace::legal_from(std::int64_t at, std::int64_t need) const {
  const bool crosses = at % bank_ != 0 && at / bank_ != (at + need - 1) / bank_;
  return crosses ? (at / bank_ + 1) * bank_ : at;
}

// Only places behind runs that are used later than the best place so far need be examined.
std::optional<std::int64_t> AddressSpace::lowest(const std::vector<Run>& runs, std::int64_t need,
                                                 std::int64_t now, Fit fit) const {
  std::optional<std::int64_t> best;
  std::int64_t best_use = now, from = 0;  // all units from `from` to the end of run r have earlier uses
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].last_use >= best_use) {
      from = runs[r].end;
      continue;
    }
    for (std::int64_t at = legal_from(from, need); at + need <= runs[r].end; at = legal_from(from, need)) {
      std::size_t latest = r;  // the last of the runs under the tensor with the latest use
      for (std::size_t q = r; q-- > 0 && runs[q].end > at;)
        if (runs[q].last_use > runs[latest].last_use) latest = q;
      best = at * unit_;
      best_use = runs[latest].last_use;
      from = runs[latest].end;
      if (fit == Fit::kLowest || best_use == kNever) return best;
    }
  }
  return best;
}

// Of the free places, that with the highest address: behind each of them is the end of a run, or of a bank.
std::optional<std::int64_t> AddressSpace::highest(const std::vector<Run>& runs, std::int64_t need,
                                                  std::int64_t now) const {
  std::int64_t until = count_;  // all units from the end of run r - 1 to `until` are free
  for (std::size_t r = runs.size(); r-- > 0;) {
    const std::int64_t begin = r == 0 ? 0 : runs[r - 1].end;
    if (runs[r].last_use >= now) {
      until = begin;
      continue;
    }
    std::int64_t at = until - need;
    if (at >= 0 && legal_from(at, need) != at)  // to the end of the bank before, or to the begin of its own
      at = need <= bank_ ? (at + need - 1) / bank_ * bank_ - need : at / bank_ * bank_;
    if (at >= begin) return at * unit_;
  }
  return std::nullopt;
}

std::optional<std::int64_t> AddressSpace::find(std::int64_t bytes, std::int64_t now, std::int64_t until,
                                               Fit fit) {
  const std::vector<Run>& runs = runs_of(now, until);
  return fit == Fit::kHighest ? highest(runs, units(bytes), now) : lowest(runs, units(bytes), now, fit);
}

}  // namespace tahoma::runtime::nki
