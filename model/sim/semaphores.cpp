// SPDX-License-Identifier: Apache-2.0
#include "model/sim/semaphores.h"

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::sim {
namespace {

bool holds(const Condition& c, std::int64_t value) {
  return c.compare == Compare::kGe ? value >= c.value : value == c.value;
}

}  // namespace

std::int64_t SemaphoreFile::apply(std::int64_t value, const Posting& p) {
  switch (p.change) {
    case Change::kAdd:
      return value + p.value;
    case Change::kSubtract:
      return value - p.value;
    case Change::kSet:
      return p.value;
  }
  return value;
}

// Everything posted for a time up to now is final, because nothing can be posted into the past.
void SemaphoreFile::settle(Semaphore& s) {
  const base::Time t = now();
  std::size_t done = 0;
  while (done < s.pending.size() && s.pending[done].visible <= t) {
    s.value = apply(s.value, s.pending[done]);
    s.past[s.changes++ % kPast] = {s.pending[done].visible, s.pending[done].raiser, s.value,
                                   s.pending[done].cause};
    ++done;
  }
  s.pending.erase(s.pending.begin(), s.pending.begin() + static_cast<std::ptrdiff_t>(done));
}

void SemaphoreFile::enter(const Posting& p) {
  TAHOMA_INVARIANT(p.visible >= now(), std::string(name()) + ": a semaphore change is posted into the past");
  Semaphore& s = semaphores_.at(p.semaphore);
  const auto after = std::upper_bound(s.pending.begin(), s.pending.end(), p.visible,
                                      [](base::Time t, const Posting& other) { return t < other.visible; });
  s.pending.insert(after, p);
  if (meter_ != nullptr && meter_->probes != nullptr)
    meter_->probes->semaphore({core_, static_cast<std::uint8_t>(p.semaphore), p.change == Change::kSet,
                               p.change == Change::kSubtract ? -p.value : p.value, p.visible});
}

void SemaphoreFile::post(std::span<const Posting> postings) {
  for (const Posting& p : postings) enter(p);
  for (auto p = postings.begin(); p != postings.end(); ++p) {
    const auto same = [&](const Posting& earlier) { return earlier.semaphore == p->semaphore; };
    if (std::any_of(postings.begin(), p, same)) continue;
    const std::vector<Watcher*>& watchers = semaphores_[p->semaphore].watchers;
    for (std::size_t i = 0; i < watchers.size(); ++i) watchers[i]->semaphore_changed();
  }
}

// The time since which the condition holds now; empty if it does not hold.
std::optional<Satisfied> SemaphoreFile::held_since(const Semaphore& s, const Condition& condition) {
  if (!holds(condition, s.value)) return std::nullopt;
  if (s.changes == 0) return Satisfied{{0}, base::StallReason::kDispatch};
  const std::uint64_t oldest = s.changes - std::min<std::uint64_t>(s.changes, kPast);
  std::uint64_t first = s.changes - 1;  // the first one from which it holds
  while (first > oldest && holds(condition, s.past[(first - 1) % kPast].value)) --first;
  const Past& since = s.past[first % kPast];
  return Satisfied{since.when, since.raiser, since.cause};
}

std::optional<Satisfied> SemaphoreFile::when(const Condition& condition, base::Time ready) {
  Semaphore& s = semaphores_.at(condition.semaphore);
  settle(s);
  std::optional<Satisfied> since = held_since(s, condition);
  std::int64_t value = s.value;
  for (const Posting& p : s.pending) {
    if (p.visible > ready && since) break;
    value = apply(value, p);
    if (!holds(condition, value))
      since.reset();
    else if (!since)
      since = Satisfied{p.visible, p.raiser, p.cause};
  }
  return since;
}

void SemaphoreFile::watch(unsigned semaphore, Watcher* watcher) {
  semaphores_.at(semaphore).watchers.push_back(watcher);
}

void SemaphoreFile::unwatch(unsigned semaphore, Watcher* watcher) {
  auto& watchers = semaphores_.at(semaphore).watchers;
  watchers.erase(std::remove(watchers.begin(), watchers.end(), watcher), watchers.end());
}

std::int64_t SemaphoreFile::value(unsigned semaphore) {
  Semaphore& s = semaphores_.at(semaphore);
  settle(s);
  return s.value;
}

std::int64_t SemaphoreFile::last_value(unsigned semaphore) {
  std::int64_t last = value(semaphore);
  for (const Posting& posting : semaphores_.at(semaphore).pending) last = apply(last, posting);
  return last;
}

}  // namespace tahoma::sim
