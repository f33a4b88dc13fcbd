// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "frontend/nki/lower/memory/allocate.h"
#include "frontend/nki/lower/memory/split_values.h"
#include "model/base/error.h"
#include "tests/support/random/random_trace.h"
#include "tests/support/reference/trace_memory.h"
#include "tests/support/reference/trace_words.h"

using namespace tahoma;
using namespace tahoma::runtime::nki;
using tests::TraceGenerator;
using tests::TraceRules;

namespace {

constexpr std::uint64_t kMemorySeeds = 80;
constexpr std::int64_t kUnit = 64;  // bytes: addresses are multiples of an access to HBM
constexpr Allocation kPolicies[] = {Allocation::kRotating, Allocation::kFirstFit};

std::vector<Place> places_of(const Trace& trace, Allocation policy) {
  return allocate(trace, live_ranges(trace), policy);
}

// Room for all tensors that live at a time, or for nearly all.
Trace crowded(std::uint64_t seed, unsigned placed = 0) {
  TraceRules rules;
  rules.renewed = 30;
  rules.usable = static_cast<std::uint32_t>(kUnit * (10 + seed % 8));
  rules.most_columns = 48;
  rules.placed = placed;
  return TraceGenerator(seed, rules).trace();
}

// Calls check(trace, places, policy) for random traces that fit, and returns how many do not.
template <class Check>
unsigned for_crowded(Check&& check, unsigned placed = 0) {
  unsigned full = 0;
  for (std::uint64_t seed = 0; seed < kMemorySeeds; ++seed) {
    const Trace trace = crowded(seed, placed);
    for (const Allocation policy : kPolicies) {
      INFO("seed " << seed << ", policy " << static_cast<int>(policy));
      std::vector<Place> places;
      try {
        places = places_of(trace, policy);
      } catch (const base::UserError& error) {
        CHECK(error.code == "E-NKI-020");
        ++full;
        continue;
      }
      check(trace, places, policy);
    }
  }
  return full;
}

std::int64_t capacity(const Trace& trace, Buffer buffer) {
  return buffer == Buffer::kSbuf ? trace.usable() : trace.limits().psum_bytes;
}

}  // namespace

TEST_CASE("nki memory: tensors that live at the same time share no byte", "[nki]") {
  const unsigned full = for_crowded([](const Trace& trace, const std::vector<Place>& places, Allocation) {
    CHECK(tests::sharing(trace, places) == "");
  });
  CHECK(full > 0);  // memory was short
  CHECK(full < kMemorySeeds);
}

TEST_CASE("nki memory: a tensor that is moved onto a living one is noticed", "[nki]") {
  unsigned moved = 0;
  for_crowded([&](const Trace& trace, const std::vector<Place>& places, Allocation) {
    const auto lives = tests::lives_of(trace);
    for (const auto& a : trace.storages)
      for (const auto& b : trace.storages) {
        if (a->id >= b->id || a->buffer != Buffer::kSbuf || b->buffer != Buffer::kSbuf) continue;
        if (!lives[a->id] || !lives[b->id] || lives[b->id]->first <= lives[a->id]->first) continue;
        if (lives[b->id]->first >= lives[a->id]->last) continue;
        std::vector<Place> broken = places;
        broken[b->id] = broken[a->id];
        ++moved;
        CHECK(tests::sharing(trace, broken) != "");
      }
  });
  CHECK(moved > 100);
}

TEST_CASE("nki memory: tensors stay inside their memory and reach as far as the largest sum of live bytes",
          "[nki]") {
  for_crowded([](const Trace& trace, const std::vector<Place>& places, Allocation) {
    const auto lives = tests::lives_of(trace);
    for (const Buffer buffer : {Buffer::kSbuf, Buffer::kPsum}) {
      std::int64_t reach = 0;
      for (const auto& s : trace.storages) {
        if (s->buffer != buffer || !lives[s->id]) continue;
        const std::int64_t byte = places[s->id].byte, bank = trace.limits().psum_bank_bytes;
        reach = std::max(reach, byte + s->row_bytes());
        CHECK(byte % kUnit == 0);
        const bool crosses = byte % bank != 0 && byte / bank != (byte + s->row_bytes() - 1) / bank;
        if (buffer == Buffer::kPsum) CHECK_FALSE(crosses);
      }
      CHECK(reach <= capacity(trace, buffer));
      // A destination may take the place of a source that dies, so its bytes count once.
      std::int64_t handed_over = 0;
      for (const auto& s : trace.storages)
        if (s->buffer == buffer) handed_over = std::max(handed_over, s->row_bytes());
      CHECK(reach >= tests::most_live_bytes(trace, buffer) - handed_over);
    }
  });
}

TEST_CASE("nki memory: first fit takes the lowest bytes that are free for the tensor's life", "[nki]") {
  unsigned checked = 0;
  for_crowded([&](const Trace& trace, const std::vector<Place>& places, Allocation policy) {
    if (policy != Allocation::kFirstFit) return;
    const auto lives = tests::lives_of(trace);
    const auto free = [&](const Storage& wanted, std::int64_t byte) {
      for (const auto& other : trace.storages) {
        const bool before = lives[other->id] && other->buffer == Buffer::kSbuf && other->id != wanted.id &&
                            (lives[other->id]->first < lives[wanted.id]->first ||
                             (lives[other->id]->first == lives[wanted.id]->first && other->id < wanted.id));
        if (!before || lives[other->id]->last < lives[wanted.id]->first) continue;
        const std::int64_t at = places[other->id].byte;
        const auto up = [](std::int64_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; };
        if (byte < at + up(other->row_bytes()) && at < byte + up(wanted.row_bytes())) return false;
      }
      return true;
    };
    for (const auto& s : trace.storages) {
      if (s->buffer != Buffer::kSbuf || !lives[s->id]) continue;
      std::int64_t lowest = 0;
      while (!free(*s, lowest) && lowest + s->row_bytes() <= trace.usable()) lowest += kUnit;
      if (lowest + s->row_bytes() > trace.usable()) continue;  // in the place of a source
      ++checked;
      CHECK(places[s->id].byte == lowest);
    }
  });
  CHECK(checked > 500);
}

TEST_CASE("nki memory: tensors at hand-given addresses stay there, and others avoid them", "[nki]") {
  for_crowded(
      [](const Trace& trace, const std::vector<Place>& places, Allocation) {
        CHECK(tests::sharing(trace, places) == "");
        const auto lives = tests::lives_of(trace);
        for (const auto& placed : trace.storages) {
          if (!placed->place) continue;
          CHECK(places[placed->id] == *placed->place);
          for (const auto& other : trace.storages) {
            if (other->buffer != Buffer::kSbuf || other->place || !lives[other->id] || !lives[placed->id])
              continue;
            const tests::Life &a = *lives[placed->id], &b = *lives[other->id];
            const std::int64_t at = placed->place->byte, byte = places[other->id].byte;
            const bool share = at < byte + other->row_bytes() && byte < at + placed->row_bytes();
            CHECK_FALSE((share && a.first <= b.last && b.first <= a.last));
          }
        }
      },
      30);
}

TEST_CASE("nki memory: a tensor for each value leaves every value that is read as it is", "[nki]") {
  unsigned split = 0;
  for (std::uint64_t seed = 0; seed < kMemorySeeds; ++seed) {
    TraceRules rules;
    rules.whole = seed % 2 == 0;
    const Trace trace = TraceGenerator(seed, rules).trace(), changed = with_split_values(trace);
    INFO("seed " << seed);
    CHECK(tests::values_read(changed) == tests::values_read(trace));
    split += changed.storages.size() > trace.storages.size() ? 1 : 0;
  }
  CHECK(split > kMemorySeeds / 4);
}
