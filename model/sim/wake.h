// SPDX-License-Identifier: Apache-2.0
// A wake is the time at which a component acts next. Wakes replace one SystemC event and method for each
// component: a single SystemC method serves them all, from a queue of its own.
//
// Components that act at the same femtosecond take turns: their order follows from their numbers within their
// chip and from the time, by a hash, so that it favours none in the long run, as a round robin does. SystemC
// would choose by the state of its queue. So equal chips with equal work behave equally, whatever else is in
// the machine, which folding relies on (model/system/folding), and no result depends on the kernel's order. A
// component that asks for the present instant acts in the next round of the instant, which is SystemC's next
// delta cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "model/base/units.h"

namespace tahoma::sim {

class Wake {
 public:
  using Body = void (*)(void*);
  // Calls body(object) at the requested times, and shortly before each of them, if it is not null,
  // fetch(object), which may only prefetch what body() will touch into the host's caches. Must be constructed
  // before the simulation starts.
  Wake(void* object, Body body, Body fetch = nullptr);
  // Makes a wake that calls a member function of a component: Wake wake_ =
  // Wake::calling<&Component::act>(this). The second form also names a function that prefetches.
  template <auto Method, class Component>
  static Wake calling(Component* component) {
    return {component, [](void* object) { (static_cast<Component*>(object)->*Method)(); }};
  }
  template <auto Method, auto Fetch, class Component>
  static Wake calling(Component* component) {
    return {component, [](void* object) { (static_cast<Component*>(object)->*Method)(); },
            [](void* object) { (static_cast<Component*>(object)->*Fetch)(); }};
  }
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  // Requests an action at an absolute time, not in the past. An earlier request of the same wake wins.
  void at(base::Time when);
  // Requests an action in the next round of this instant.
  void now();
  // Withdraws the request. An action of the round that is under way still takes place.
  void cancel();

 private:
  friend class Agenda;

  void* object_;
  Body body_, fetch_;
  std::uint32_t rank_ = 0, number_ = 0;  // in the machine, and in its chip
};

// All wakes of the process. SystemC elaborates one machine in a process, which therefore has one agenda.
class Agenda : public sc_core::sc_module {
 public:
  static Agenda& of_process();
  // The numbers of the wakes that are constructed from now on begin at 0: those of the next chip.
  void number_from_zero() { numbers_ = 0; }
  // From now on the numbers continue after those of a chip, whatever was constructed last. All chips have the
  // same number of wakes.
  void number_behind_chip() { numbers_ = most_numbers_; }
  // The time of the latest round.
  base::Time acted_at() const { return acted_at_; }

 private:
  friend class Wake;
  struct Entry {
    base::Time when;
    std::uint32_t turn,
        rank;  // the rank decides between chips, which never affect each other within an instant
    Wake* wake;
    bool before(const Entry& other) const {
      if (when != other.when) return when < other.when;
      return turn != other.turn ? turn < other.turn : rank < other.rank;
    }
  };

  explicit Agenda(sc_core::sc_module_name name);
  void request(Wake& wake, base::Time when);
  void withdraw(Wake& wake);
  void step();
  void act();
  void fetch_next() const;
  void schedule();
  void put(std::size_t place, const Entry& entry);
  void rise(std::size_t place, const Entry& entry);
  void sink(std::size_t place, const Entry& entry);
  void remove(std::size_t place);

  static constexpr std::uint32_t kIdle = ~std::uint32_t{0};
  std::vector<Entry> queue_;  // a heap, the next entry first
  // The place of each wake in queue_, by rank. The components, which could hold it, are far apart in memory.
  std::vector<std::uint32_t> places_;
  std::vector<Wake*> round_;  // those that act in this round
  std::uint32_t ranks_ = 0, numbers_ = 0, most_numbers_ = 0;
  base::Time acted_at_{0};
  bool acting_ = false;
  sc_core::sc_event tick_;
};

}  // namespace tahoma::sim
