// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "frontend/nki/lower/order/choose.h"
#include "frontend/nki/lower/order/dependences.h"
#include "frontend/nki/lower/order/memory_plan.h"
#include "frontend/nki/lower/order/ready_pool.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/random/random_trace.h"

using namespace tahoma;
using namespace tahoma::runtime::nki;
using tests::TraceGenerator;
using tests::TraceRules;

namespace {

// Starts and completes entries at random, as long as the plan permits, and counts units of memory by itself.
class RandomExecution {
 public:
  RandomExecution(const Trace& trace, const Units& capacity, std::uint64_t seed)
      : trace_(trace),
        uses_(trace),
        plan_(trace, capacity),
        dependences_(trace, choose_queues(trace, tests::default_machine(), {})),
        random_(seed),
        state_(trace.entries.size(), State::kWaiting) {}

  bool is_feasible() const { return plan_.is_feasible(); }

  // Returns the most units that were held at a time; nothing if no entry could start at some point.
  std::optional<Units> run() {
    for (std::size_t left = state_.size(); left > 0;) {
      const auto able = entries([&](std::uint32_t e) { return may_start(e); });
      const auto running = entries([&](std::uint32_t e) { return state_[e] == State::kRunning; });
      if (able.empty() && running.empty()) return std::nullopt;
      const bool starts = running.empty() || (!able.empty() && random_() % 3 != 0);
      if (starts) {
        start(able[random_() % able.size()]);
      } else {
        const std::uint32_t e = running[random_() % running.size()];
        plan_.complete(e);
        state_[e] = State::kComplete;
        --left;
      }
    }
    return most_;
  }

 private:
  enum class State { kWaiting, kRunning, kComplete };

  template <class Which>
  std::vector<std::uint32_t> entries(Which&& which) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t e = 0; e < state_.size(); ++e)
      if (which(e)) found.push_back(e);
    return found;
  }

  bool may_start(std::uint32_t e) const {
    if (state_[e] != State::kWaiting) return false;
    for (const std::uint32_t before : dependences_.before(e))
      if (state_[before] != State::kComplete) return false;
    return plan_.may_start(e, plan_.need_of(e));
  }

  void start(std::uint32_t e) {
    const bool alone = entries([&](std::uint32_t other) { return state_[other] == State::kRunning; }).empty();
    const bool in_turn = e == plan_.next();
    plan_.start(e, [](std::uint32_t) {});
    state_[e] = State::kRunning;
    // A tensor is held from the start of its first user to the completion of all.
    Units held{};
    for (std::uint32_t s = 0; s < uses_.storages(); ++s) {
      bool begun = false, complete = true;
      for (const std::uint32_t user : uses_.users(s)) {
        begun = begun || state_[user] != State::kWaiting;
        complete = complete && state_[user] == State::kComplete;
      }
      if (begun && !complete) held = held + uses_.size(s);
    }
    // An entry that starts alone and in its turn may need all memory that dead tensors of the trace's order
    // leave.
    if (!alone || !in_turn)
      for (std::size_t m = 0; m < held.size(); ++m) most_[m] = std::max(most_[m], held[m]);
  }

  const Trace& trace_;
  TensorUses uses_;
  MemoryPlan plan_;
  Dependences dependences_;
  std::mt19937_64 random_;
  std::vector<State> state_;
  Units most_{};
};

// The most units that live at an entry, in the trace's order.
Units most_live(const Trace& trace) {
  const TensorUses uses(trace);
  Units most{};
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e) {
    Units live{};
    for (std::uint32_t s = 0; s < uses.storages(); ++s)
      if (!uses.users(s).empty() && uses.users(s).front() <= e && e <= uses.users(s).back())
        live = live + uses.size(s);
    for (std::size_t m = 0; m < live.size(); ++m) most[m] = std::max(most[m], live[m]);
  }
  return most;
}

Trace random_trace(std::uint64_t seed) {
  TraceRules rules;
  rules.renewed = 40;
  rules.most_columns = 64;
  return TraceGenerator(seed, rules).trace();
}

}  // namespace

TEST_CASE("nki memory plan: any choice that it permits reaches the end within the capacity", "[nki]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Trace trace = random_trace(seed);
    const Units least = most_live(trace), more{least[0] + static_cast<std::int64_t>(seed % 5), least[1]};
    for (const Units& capacity : {least, more}) {
      RandomExecution execution(trace, capacity, seed);
      INFO("seed " << seed << ", capacity " << capacity[0] << " and " << capacity[1]);
      REQUIRE(execution.is_feasible());
      const std::optional<Units> most = execution.run();
      REQUIRE(most);
      CHECK(within(*most, capacity));
    }
  }
}

TEST_CASE("nki memory plan: it is feasible exactly if the trace's own order fits", "[nki]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Trace trace = random_trace(seed);
    const Units least = most_live(trace);
    INFO("seed " << seed);
    CHECK(MemoryPlan(trace, least).is_feasible());
    CHECK_FALSE(MemoryPlan(trace, {least[0] - 1, least[1]}).is_feasible());
    CHECK_FALSE(MemoryPlan(trace, {least[0], least[1] - 1}).is_feasible());
  }
}

TEST_CASE("nki memory profile: it is an array whose ranges change and have a maximum", "[nki]") {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const std::size_t entries = 1 + below(70);
    MemoryProfile profile(entries);
    std::vector<std::int64_t> reference(entries, 0);
    for (unsigned change = 0; change < 100; ++change) {
      const std::size_t first = below(entries + 1), end = below(entries + 1);
      const std::int64_t units = static_cast<std::int64_t>(below(41)) - 20;
      profile.add(first, end, units);
      for (std::size_t e = first; e < end; ++e) reference[e] += units;
      const std::size_t from = below(entries), to = from + 1 + below(entries - from);
      INFO("seed " << seed << ", change " << change);
      CHECK(profile.most(from, to) == *std::max_element(reference.begin() + static_cast<std::ptrdiff_t>(from),
                                                        reference.begin() + static_cast<std::ptrdiff_t>(to)));
    }
  }
}

TEST_CASE("nki ready pool: the best is the first entry that fits", "[nki]") {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    ReadyPool pool;
    std::map<std::uint32_t, Units> reference;
    for (unsigned change = 0; change < 200; ++change) {
      const auto rank = static_cast<std::uint32_t>(random() % 60);
      if (const auto known = reference.find(rank); known != reference.end()) {
        pool.remove(rank, known->second);
        reference.erase(known);
      } else {
        const Units need{static_cast<std::int64_t>(random() % 4), static_cast<std::int64_t>(random() % 3)};
        pool.add(rank, need);
        reference[rank] = need;
      }
      const Units room{static_cast<std::int64_t>(random() % 4), static_cast<std::int64_t>(random() % 3)};
      std::optional<std::uint32_t> lowest;
      for (const auto& [r, need] : reference)
        if (!lowest && within(need, room)) lowest = r;
      INFO("seed " << seed << ", change " << change);
      CHECK(pool.best(1, [&](std::uint32_t, const Units& need) { return within(need, room); }) == lowest);
    }
  }
}
