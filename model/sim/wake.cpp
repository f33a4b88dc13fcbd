// SPDX-License-Identifier: Apache-2.0
#include "model/sim/wake.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::sim {

using base::Time;

namespace {

constexpr std::size_t kChildren = 4;  // of an entry of the heap: half as many levels as with two

// The order of a component among those that act at that time: the finalizer of SplitMix64.
std::uint32_t turn_of(std::uint32_t number, Time when) {
  std::uint64_t z = static_cast<std::uint64_t>(when.fs) + (std::uint64_t{number} + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27) * 0x94D049BB133111EBU;
  return static_cast<std::uint32_t>(z >> 32);
}

// Prefetches a wake and what its component has beside it.
void fetch_wake(const Wake& wake) {
  constexpr std::ptrdiff_t kLine = 64;  // of the host's caches
  const auto* at = reinterpret_cast<const char*>(&wake);
  for (std::ptrdiff_t line = -1; line <= 2; ++line) __builtin_prefetch(at + line * kLine);
}

}  // namespace

Wake::Wake(void* object, Body body, Body fetch) : object_(object), body_(body), fetch_(fetch) {
  Agenda& agenda = Agenda::of_process();
  rank_ = agenda.ranks_++;
  agenda.places_.push_back(Agenda::kIdle);
  number_ = agenda.numbers_++;
  agenda.most_numbers_ = std::max(agenda.most_numbers_, agenda.numbers_);
}

void Wake::at(Time when) { Agenda::of_process().request(*this, when); }
void Wake::now() { Agenda::of_process().request(*this, sim::now()); }
void Wake::cancel() { Agenda::of_process().withdraw(*this); }

// Never destroyed, because components may outlive every static object that could own it.
Agenda& Agenda::of_process() {
  static Agenda* const agenda = new Agenda("agenda");
  return *agenda;
}

Agenda::Agenda(sc_core::sc_module_name name) : sc_module(name) {
  SC_HAS_PROCESS(Agenda);
  SC_METHOD(step);
  sensitive << tick_;
  dont_initialize();
}

void Agenda::request(Wake& wake, Time when) {
  TAHOMA_INVARIANT(when >= sim::now(), "a component asks to act in the past");
  const Entry entry{when, turn_of(wake.number_, when), wake.rank_, &wake};
  const std::uint32_t place = places_[wake.rank_];
  if (place == kIdle) {
    queue_.push_back(entry);
    rise(queue_.size() - 1, entry);
  } else if (entry.before(queue_[place])) {
    rise(place, entry);
  } else {
    return;
  }
  if (!acting_ && places_[wake.rank_] == 0) schedule();
}

void Agenda::withdraw(Wake& wake) {
  if (places_[wake.rank_] != kIdle) remove(places_[wake.rank_]);
}

void Agenda::put(std::size_t place, const Entry& entry) {
  queue_[place] = entry;
  places_[entry.rank] = static_cast<std::uint32_t>(place);
}

void Agenda::rise(std::size_t place, const Entry& entry) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / kChildren;
    if (!entry.before(queue_[parent])) break;
    put(place, queue_[parent]);
    place = parent;
  }
  put(place, entry);
}

void Agenda::sink(std::size_t place, const Entry& entry) {
  for (;;) {
    const std::size_t first = place * kChildren + 1;
    if (first >= queue_.size()) break;
    std::size_t least = first;
    const std::size_t end = std::min(first + kChildren, queue_.size());
    for (std::size_t child = first + 1; child < end; ++child)
      if (queue_[child].before(queue_[least])) least = child;
    if (!queue_[least].before(entry)) break;
    put(place, queue_[least]);
    place = least;
  }
  put(place, entry);
}

void Agenda::remove(std::size_t place) {
  places_[queue_[place].rank] = kIdle;
  const Entry last = queue_.back();
  queue_.pop_back();
  if (place == queue_.size()) return;
  if (place > 0 && last.before(queue_[(place - 1) / kChildren]))
    rise(place, last);
  else
    sink(place, last);
}

void Agenda::schedule() {
  if (!queue_.empty()) notify_at(tick_, queue_.front().when);
}

// Runs one round. Requests of components for this instant belong to the next round, which is a delta cycle
// later, so that a stop of the simulation takes effect between rounds.
void Agenda::step() {
  const Time now = acted_at_ = sim::now();
  round_.clear();
  while (!queue_.empty() && queue_.front().when <= now) {
    round_.push_back(queue_.front().wake);
    remove(0);
  }
  act();
  schedule();
}

// While one component acts, the host fetches what the next ones will need: in a large machine, it is in no
// near cache.
void Agenda::act() {
  acting_ = true;
  for (std::size_t n = 0; n < round_.size(); ++n) {
    if (n + 2 < round_.size()) fetch_wake(*round_[n + 2]);
    if (n + 1 == round_.size())
      fetch_next();
    else if (const Wake& next = *round_[n + 1]; next.fetch_ != nullptr)
      next.fetch_(next.object_);
    round_[n]->body_(round_[n]->object_);
  }
  acting_ = false;
}

// The first of the queue acts next. The one after it is among the first's children.
void Agenda::fetch_next() const {
  if (queue_.empty()) return;
  for (std::size_t child = 1; child <= std::min(kChildren, queue_.size() - 1); ++child)
    fetch_wake(*queue_[child].wake);
  const Wake& next = *queue_.front().wake;
  if (next.fetch_ != nullptr) next.fetch_(next.object_);
}

}  // namespace tahoma::sim
