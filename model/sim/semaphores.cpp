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

std::int64_t SemaphoreFile::apply(std::int64_t value, const Posted& p) {
  switch (p.change) {
    case Change::kAdd:
      return value + p.operand;
    case Change::kSubtract:
      return value - p.operand;
    case Change::kSet:
      return p.operand;
  }
  return value;
}

// Everything posted for a time up to now is final: nothing can be posted into the past.
void SemaphoreFile::settle(Semaphore& s) {
  const base::Time t = now();
  std::size_t done = 0;
  while (done < s.pending.size() && s.pending[done].visible <= t) {
    s.value = apply(s.value, s.pending[done]);
    s.past.push_back({s.pending[done].visible, s.pending[done].raiser, s.value, s.pending[done].cause});
    if (s.past.size() > kPast) s.past.pop_front();
    ++done;
  }
  s.pending.erase(s.pending.begin(), s.pending.begin() + static_cast<std::ptrdiff_t>(done));
}

void SemaphoreFile::post(unsigned semaphore, Change change, std::int64_t value, base::Time visible,
                         base::Cycle raiser, std::uint64_t cause) {
  TAHOMA_INVARIANT(visible >= now(), std::string(name()) + ": a semaphore change is posted into the past");
  Semaphore& s = semaphores_.at(semaphore);
  const auto after = std::upper_bound(s.pending.begin(), s.pending.end(), visible,
                                      [](base::Time t, const Posted& p) { return t < p.visible; });
  s.pending.insert(after, Posted{visible, change, raiser, value, cause});
  if (meter_ != nullptr && meter_->observer != nullptr)
    meter_->observer->semaphore({core_, static_cast<std::uint8_t>(semaphore), change == Change::kSet,
                                 change == Change::kSubtract ? -value : value, visible});
  for (std::size_t i = 0; i < s.watchers.size(); ++i) s.watchers[i]->semaphore_changed();
}

// Since when the condition has held by now; nothing if it does not.
std::optional<Satisfied> SemaphoreFile::held_since(const Semaphore& s, const Condition& condition) {
  if (!holds(condition, s.value)) return std::nullopt;
  if (s.past.empty()) return Satisfied{{0}, base::Cycle::kDispatch};
  Satisfied since{s.past.back().when, s.past.back().raiser, s.past.back().cause};
  for (auto p = s.past.rbegin(); p != s.past.rend() && holds(condition, p->value); ++p)
    since = {p->when, p->raiser, p->cause};
  return since;
}

std::optional<Satisfied> SemaphoreFile::when(const Condition& condition, base::Time ready) {
  Semaphore& s = semaphores_.at(condition.semaphore);
  settle(s);
  std::optional<Satisfied> since = held_since(s, condition);
  std::int64_t value = s.value;
  for (const Posted& p : s.pending) {
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

}  // namespace tahoma::sim
