// SPDX-License-Identifier: Apache-2.0
#include "model/sim/wake.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <utility>

#include "model/base/error.h"
#include "model/sim/time.h"

using namespace tahoma;
using base::Time;

namespace {

// Records when it acts.
struct Actor {
  explicit Actor(char letter, std::string& all) : name(letter), log(all) {}
  void act() {
    log += name;
    times.push_back(sim::now());
    if (then) std::exchange(then, nullptr)();
  }
  char name;
  std::string& log;
  std::vector<Time> times;
  std::function<void()> then;
  sim::Wake wake = sim::Wake::calling<&Actor::act>(this);
};

// Records when it prefetches and when it acts.
struct Prefetcher {
  explicit Prefetcher(std::string& all) : log(all) {}
  void act() { log += "act "; }
  void fetch() const { log += "fetch "; }
  std::string& log;
  sim::Wake wake = sim::Wake::calling<&Prefetcher::act, &Prefetcher::fetch>(this);
};

// Stands before the first object of the netlist.
struct Femtoseconds {
  Femtoseconds() { sc_core::sc_set_time_resolution(1, sc_core::SC_FS); }
};

}  // namespace

TEST_CASE("wake: the earliest request of a component wins, and a withdrawn one has no effect", "[sim]") {
  const Femtoseconds resolution;
  std::string log;
  Actor a('a', log), b('b', log), c('c', log);
  a.wake.at(Time{30});
  a.wake.at(Time{10});
  a.wake.at(Time{20});
  b.wake.at(Time{5});
  b.wake.cancel();
  c.wake.at(Time{7});
  c.wake.cancel();
  c.wake.at(Time{9});
  sc_core::sc_start();
  CHECK(log == "ca");
  CHECK(a.times == std::vector{Time{10}});
  CHECK(c.times == std::vector{Time{9}});
}

TEST_CASE("wake: what is requested for the same instant acts in a later round of it", "[sim]") {
  const Femtoseconds resolution;
  std::string log;
  Actor a('a', log), b('b', log);
  a.wake.at(Time{10});
  b.wake.at(Time{10});
  a.then = [&] {
    a.wake.now();
    b.wake.now();
  };
  sc_core::sc_start();
  // The first round has both, in either order; the second has those that were asked for in the first.
  REQUIRE(log.size() == 4);
  CHECK(std::count(log.begin(), log.begin() + 2, 'a') == 1);
  CHECK(std::count(log.begin(), log.begin() + 2, 'b') == 1);
  CHECK(b.times == std::vector{Time{10}, Time{10}});
}

TEST_CASE("wake: components of equal numbers take the same turns in every chip, and none is always first",
          "[sim]") {
  const Femtoseconds resolution;
  std::string first, second;
  sim::Agenda::of_process().number_from_zero();
  Actor a('a', first), b('b', first), c('c', first);
  sim::Agenda::of_process().number_from_zero();
  Actor x('a', second), y('b', second), z('c', second);
  constexpr int kInstants = 600;
  int n = 1;
  std::function<void()> again = [&] {
    if (++n > kInstants) return;
    for (Actor* actor : {&a, &b, &c, &x, &y, &z}) actor->wake.at(Time{n * 1000});
    a.then = again;
  };
  for (Actor* actor : {&a, &b, &c, &x, &y, &z}) actor->wake.at(Time{1000});
  a.then = again;
  sc_core::sc_start();
  REQUIRE(first.size() == 3 * kInstants);
  CHECK(first == second);
  std::map<char, int> led;
  for (std::size_t i = 0; i < first.size(); i += 3) ++led[first[i]];
  // Each leads a third of the instants: 200, with a standard deviation of 11.5.
  for (const char name : {'a', 'b', 'c'}) CHECK(std::abs(led[name] - 200) < 60);
}

TEST_CASE("wake: a component prefetches before another one acts ahead of it", "[sim]") {
  const Femtoseconds resolution;
  std::string log;
  Actor first('1', log);
  Prefetcher second(log);
  first.wake.at(Time{10});
  second.wake.at(Time{20});
  sc_core::sc_start();
  CHECK(log == "fetch 1act ");
}

TEST_CASE("wake: a request for the past is an invariant", "[sim]") {
  const Femtoseconds resolution;
  std::string log, failure;
  Actor a('a', log);
  a.wake.at(Time{10});
  a.then = [&] {
    try {
      a.wake.at(Time{9});
    } catch (const base::InvariantError& error) {
      failure = error.what();
    }
  };
  sc_core::sc_start();
  CHECK_THAT(failure, Catch::Contains("in the past"));
}
