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

}  // namespace

Wake::Wake(void* object, Body body) : object_(object), body_(body) {
  Agenda& agenda = Agenda::of_process();
  rank_ = agenda.ranks_++;
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
  if (wake.place_ == Wake::kIdle) {
    queue_.push_back(entry);
    rise(queue_.size() - 1, entry);
  } else if (entry.before(queue_[wake.place_])) {
    rise(wake.place_, entry);
  } else {
    return;
  }
  if (!acting_ && wake.place_ == 0) schedule();
}

void Agenda::withdraw(Wake& wake) {
  if (wake.place_ != Wake::kIdle) remove(wake.place_);
}

void Agenda::put(std::size_t place, const Entry& entry) {
  queue_[place] = entry;
  entry.wake->place_ = place;
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
  queue_[place].wake->place_ = Wake::kIdle;
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

// One round. What a component requests for this instant belongs to the next one, which is a delta cycle later, so
// that a stop of the simulation takes effect between rounds.
void Agenda::step() {
  const Time now = acted_at_ = sim::now();
  round_.clear();
  while (!queue_.empty() && queue_.front().when <= now) {
    round_.push_back(queue_.front().wake);
    remove(0);
  }
  acting_ = true;
  for (Wake* wake : round_) wake->body_(wake->object_);
  acting_ = false;
  schedule();
}

}  // namespace tahoma::sim
