// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "frontend/nki/lower/order/choose.h"
#include "frontend/nki/lower/order/list_scheduler.h"
#include "frontend/nki/lower/order/memory_order.h"
#include "frontend/nki/lower/order/reorder.h"
#include "frontend/nki/lower/order/reordered.h"
#include "frontend/nki/lower/order/tensor_uses.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/random/random_trace.h"
#include "tests/support/reference/trace_memory.h"
#include "tests/support/reference/trace_words.h"

using namespace tahoma;
using namespace tahoma::runtime::nki;
using tests::TraceGenerator;
using tests::TraceRules;

namespace {

constexpr std::uint64_t kOrderSeeds = 60;

std::vector<isa::Queue> queues_of(const Trace& trace) {
  return choose_queues(trace, tests::default_machine(), {});
}

Estimator estimator_of(const Trace& trace) {
  return {trace, tests::default_machine(), DescriptorSource::kHardware};
}

Trace random_order(std::uint64_t seed, unsigned placed = 0) {
  TraceRules rules;
  rules.entries = 30 + seed % 50;
  rules.renewed = 30;
  rules.usable = static_cast<std::uint32_t>(64 * (12 + seed % 8));
  rules.fences = seed % 3 == 0;
  rules.after = seed % 2 == 0;
  rules.boxes = seed % 5 != 0;
  rules.placed = placed;
  return TraceGenerator(seed, rules).trace();
}

enum class Way { kList, kTightList, kByMemory };
constexpr Way kWays[] = {Way::kList, Way::kTightList, Way::kByMemory};

// Units of memory that live at most, as capacity_of() counts them.
Units most_live_units(const Trace& trace) {
  const auto lives = tests::lives_of(trace);
  Units most{};
  for (std::size_t e = 0; e < trace.entries.size(); ++e) {
    Units live{};
    for (const auto& s : trace.storages)
      if (lives[s->id] && lives[s->id]->first <= e && e <= lives[s->id]->last)
        for (std::size_t m = 0; m < live.size(); ++m) live[m] += units_of(*s, trace.limits())[m];
    for (std::size_t m = 0; m < live.size(); ++m) most[m] = std::max(most[m], live[m]);
  }
  return most;
}

Units capacity_for(const Trace& trace, Way way) {
  if (way != Way::kTightList) return capacity_of(trace);
  return most_live_units(trace);
}

std::optional<Trace> ordered(const Trace& trace, Way way) {
  if (way == Way::kByMemory) return ordered_by_memory(trace, queues_of(trace));
  return list_scheduled(trace, queues_of(trace), estimator_of(trace), capacity_for(trace, way));
}

std::vector<std::uint32_t> lines_of(const Trace& trace) {
  std::vector<std::uint32_t> lines;
  for (const Recorded& entry : trace.entries) lines.push_back(entry.line);
  return lines;
}

bool is_permutation_of(const Trace& trace, const Trace& changed) {
  std::vector<std::uint32_t> before = lines_of(trace), after = lines_of(changed);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  return before == after;
}

// The first pair of entries that had to keep its order and did not, or "". `order`: entries of the trace.
std::string violation(const Trace& trace, const std::vector<std::uint32_t>& order) {
  const tests::Relation conflicts = tests::conflicts_of(trace);
  std::vector<std::size_t> at(order.size());
  for (std::size_t n = 0; n < order.size(); ++n) at[order[n]] = n;
  for (std::uint32_t b = 0; b < order.size(); ++b)
    for (std::uint32_t a = 0; a < b; ++a) {
      const auto& after = trace.entries[b].after;
      const bool ordered = conflicts.holds(a, b) || trace.entries[a].barrier || trace.entries[b].barrier ||
                           std::find(after.begin(), after.end(), a) != after.end();
      if (ordered && at[a] > at[b]) return std::to_string(b) + " before " + std::to_string(a);
    }
  return "";
}

// Calls check(trace, changed, way) for each random trace that has such an order, and returns how many have.
template <class Check>
unsigned for_orders(Check&& check) {
  unsigned made = 0;
  for (std::uint64_t seed = 0; seed < kOrderSeeds; ++seed) {
    const Trace trace = random_order(seed);
    for (const Way way : kWays) {
      INFO("seed " << seed << ", way " << static_cast<int>(way));
      const std::optional<Trace> changed = ordered(trace, way);
      if (!changed) continue;
      ++made;
      check(trace, *changed, way);
    }
  }
  return made;
}

}  // namespace

TEST_CASE("nki order: each order is a permutation that keeps all dependences", "[nki]") {
  unsigned moved = 0;
  const unsigned made = for_orders([&](const Trace& trace, const Trace& changed, Way) {
    REQUIRE(is_permutation_of(trace, changed));
    CHECK(violation(trace, lines_of(changed)) == "");
    CHECK(tests::values_read(changed) == tests::values_read(trace));
    moved += lines_of(changed) == lines_of(trace) ? 0 : 1;
  });
  CHECK(made > kOrderSeeds);
  CHECK(moved > kOrderSeeds / 2);
}

TEST_CASE("nki order: two dependent entries that change places are noticed", "[nki]") {
  unsigned swapped = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Trace trace = random_order(seed);
    const tests::Relation conflicts = tests::conflicts_of(trace);
    for (std::uint32_t n = 1; n < trace.entries.size(); ++n) {
      if (!conflicts.holds(n - 1, n)) continue;
      std::vector<std::uint32_t> order = lines_of(trace);
      std::swap(order[n - 1], order[n]);
      ++swapped;
      CHECK(violation(trace, order) != "");
    }
  }
  CHECK(swapped > 20);
}

TEST_CASE("nki order: every entry stays on its queue", "[nki]") {
  for_orders([](const Trace& trace, const Trace& changed, Way) {
    const std::vector<isa::Queue> before = queues_of(trace), after = queues_of(changed);
    for (std::size_t n = 0; n < after.size(); ++n) CHECK(after[n] == before[changed.entries[n].line]);
  });
}

TEST_CASE("nki order: entries that the kernel orders by hand are renumbered", "[nki]") {
  for_orders([](const Trace& trace, const Trace& changed, Way) {
    for (const Recorded& entry : changed.entries) {
      std::vector<std::uint32_t> lines;
      for (const std::uint32_t before : entry.after) lines.push_back(changed.entries[before].line);
      CHECK(lines == trace.entries[entry.line].after);
    }
  });
}

TEST_CASE("nki order: tensors fit into the memory that the order was made for", "[nki]") {
  for_orders([](const Trace& trace, const Trace& changed, Way way) {
    CHECK(within(most_live_units(changed), capacity_for(trace, way)));
  });
}

TEST_CASE("nki order: the list scheduler orders exactly the traces that fit as they are", "[nki]") {
  for (std::uint64_t seed = 0; seed < kOrderSeeds; ++seed) {
    const Trace trace = random_order(seed);
    const Units most = most_live_units(trace);
    const auto listed = [&](const Units& capacity) {
      return list_scheduled(trace, queues_of(trace), estimator_of(trace), capacity).has_value();
    };
    INFO("seed " << seed);
    CHECK(listed(most));
    CHECK_FALSE(listed({most[0] - 1, most[1]}));
    CHECK_FALSE(listed({most[0], most[1] - 1}));
  }
}

TEST_CASE("nki order: short ranges and split values compute the same values", "[nki]") {
  unsigned moved = 0;
  for (std::uint64_t seed = 0; seed < kOrderSeeds; ++seed) {
    const Trace trace = random_order(seed), changed = with_short_ranges(trace);
    INFO("seed " << seed);
    REQUIRE(is_permutation_of(trace, changed));
    CHECK(tests::values_read(changed) == tests::values_read(trace));
    moved += lines_of(changed) == lines_of(trace) ? 0 : 1;
    std::vector<std::size_t> at(trace.entries.size());
    for (std::size_t n = 0; n < at.size(); ++n) at[changed.entries[n].line] = n;
    for (std::uint32_t b = 0; b < at.size(); ++b)
      for (const std::uint32_t a : trace.entries[b].after) CHECK(at[a] < at[b]);
  }
  CHECK(moved > kOrderSeeds / 2);
}

TEST_CASE("nki order: a trace with a tensor at a hand-given address, or with a device loop, keeps its order",
          "[nki]") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Trace loops = random_order(seed);
    for (const auto kind : {RegisterWork::Kind::kLoopBegin, RegisterWork::Kind::kLoopEnd}) {
      RegisterWork work;
      work.kind = kind;
      loops.registers_work(work);
    }
    for (const Trace& trace : {random_order(seed, 100), loops}) {
      INFO("seed " << seed);
      CHECK_FALSE(is_movable(trace));
      for (const Way way : kWays) CHECK_FALSE(ordered(trace, way));
      CHECK(lines_of(with_short_ranges(trace)) == lines_of(trace));
    }
  }
}
