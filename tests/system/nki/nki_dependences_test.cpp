// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "frontend/nki/lower/order/choose.h"
#include "frontend/nki/lower/order/dependences.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/random/random_trace.h"
#include "tests/support/reference/trace_words.h"

using namespace tahoma;
using namespace tahoma::runtime::nki;
using tests::Relation;
using tests::TraceGenerator;
using tests::TraceRules;

namespace {

constexpr std::uint64_t kSeeds = 60;

Relation found_in(const Trace& trace) {
  const Dependences dependences(trace, choose_queues(trace, tests::default_machine(), {}));
  Relation found(trace.entries.size());
  for (std::uint32_t e = 0; e < found.size(); ++e)
    for (const std::uint32_t before : dependences.before(e)) found.set(before, e);
  return found;
}

// Returns the dependences that the definition requires: conflicts of words, fences and the kernel's own
// order.
Relation required_by(const Trace& trace) {
  Relation required = tests::conflicts_of(trace);
  const auto barrier = [&](std::size_t e) { return trace.entries[e].barrier; };
  for (std::size_t b = 0; b < required.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a)
      if (barrier(a) || barrier(b)) required.set(a, b);
    for (const std::uint32_t a : trace.entries[b].after) required.set(a, b);
  }
  return required;
}

// The first pair of `required` that does not follow from `found`, or "".
std::string missing(const Relation& required, const Relation& found) {
  const Relation all = found.closed();
  for (std::size_t b = 0; b < required.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (required.holds(a, b) && !all.holds(a, b))
        return std::to_string(b) + " need not follow " + std::to_string(a);
  return "";
}

// The first pair of `found` that is not in `required`, or "".
std::string unfounded(const Relation& required, const Relation& found) {
  for (std::size_t b = 0; b < required.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (found.holds(a, b) && !required.holds(a, b))
        return std::to_string(b) + " follows " + std::to_string(a);
  return "";
}

// One memset of a rectangle of a tensor in SBUF for each entry.
struct Part {
  std::int64_t row, rows, column, columns, step = 1;
};
Relation found_among(const std::vector<Part>& parts) {
  Trace trace({}, 4096, "parts");
  Storage storage;
  storage.element = element_by_name("float32");
  storage.shape = {128, 64};
  const View all = whole(trace.declare(std::move(storage)));
  isa::Instruction memset;
  memset.op = isa::Opcode::kMemset;
  for (const Part& p : parts)
    trace.compute(memset,
                  {{isa::FieldKind::kDst, slice(slice(all, 0, p.row, p.row + p.rows, 1), 1, p.column,
                                                p.column + p.step * (p.columns - 1) + 1, p.step)}},
                  std::nullopt);
  return found_in(trace);
}

}  // namespace

TEST_CASE("nki dependences: of rectangles they are the conflicts of words, no more and no less", "[nki]") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    TraceRules rules;
    rules.entries = 30 + seed % 60;
    rules.fences = seed % 3 == 0;
    rules.after = seed % 2 == 0;
    const Trace trace = TraceGenerator(seed, rules).trace();
    const Relation required = required_by(trace), found = found_in(trace);
    INFO("seed " << seed);
    CHECK(missing(required, found) == "");
    // A barrier stands for everything before it, so entries behind it need not list that.
    CHECK(unfounded(required.closed(), found) == "");
    if (!rules.fences && !rules.after) CHECK(unfounded(required, found) == "");
  }
}

TEST_CASE("nki dependences: none is missing among parts with several gaps", "[nki]") {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    TraceRules rules;
    rules.boxes = false;
    const Trace trace = TraceGenerator(seed, rules).trace();
    INFO("seed " << seed);
    CHECK(missing(required_by(trace), found_in(trace)) == "");
  }
}

TEST_CASE("nki dependences: one that is left out or invented is noticed", "[nki]") {
  unsigned removed = 0, implied = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Trace trace = TraceGenerator(seed, {}).trace();
    const Relation required = required_by(trace), found = found_in(trace);
    for (std::size_t b = 0; b < found.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        Relation changed = found;
        changed.set(a, b, !found.holds(a, b));
        INFO("seed " << seed << ", entries " << a << " and " << b);
        if (!found.holds(a, b) && !required.holds(a, b)) CHECK(unfounded(required, changed) != "");
        if (!found.holds(a, b)) continue;
        // The pair may still follow from others; if not, its absence must be seen.
        const bool follows = changed.closed().holds(a, b);
        ++(follows ? implied : removed);
        CHECK((missing(required, changed) == "") == follows);
      }
  }
  CHECK(removed > 100);
  CHECK(implied > 0);
}

TEST_CASE("nki dependences: disjoint rows, disjoint columns and interleaved columns are independent",
          "[nki]") {
  CHECK(found_among({{0, 32, 0, 64}, {32, 32, 0, 64}, {64, 64, 0, 64}}) == Relation(3));
  CHECK(found_among({{0, 128, 0, 20}, {0, 128, 20, 20}, {0, 128, 40, 24}}) == Relation(3));
  CHECK(found_among({{0, 128, 0, 32, 2}, {0, 128, 1, 32, 2}}) == Relation(2));
  Relation chain(3);
  chain.set(0, 2);
  chain.set(1, 2);
  CHECK(found_among({{0, 32, 0, 8}, {32, 32, 0, 8}, {0, 64, 7, 1}}) == chain);
}

TEST_CASE("nki dependences: a read follows the write, a write the read and the write before it", "[nki]") {
  Trace trace({}, 4096, "three");
  const auto tensor = [&] {
    Storage storage;
    storage.element = element_by_name("float32");
    storage.shape = {128, 16};
    return whole(trace.declare(std::move(storage)));
  };
  const View a = tensor(), b = tensor(), c = tensor();
  const auto copy = [&](const View& dst, const View& src) {
    isa::Instruction fields;
    fields.op = isa::Opcode::kTensorCopy;
    trace.compute(fields, {{isa::FieldKind::kDst, dst}, {isa::FieldKind::kSrc0, src}}, std::nullopt);
  };
  copy(b, a);  // 0
  copy(c, b);  // 1: reads what 0 writes
  copy(c, a);  // 2: writes what 1 writes; reads of the same tensor are independent
  copy(a, c);  // 3: writes what 0 and 2 read, reads what 2 writes
  const Relation found = found_in(trace).closed();
  CHECK(found.holds(0, 1));
  CHECK(found.holds(1, 2));
  CHECK(found.holds(2, 3));
  CHECK(found.holds(0, 3));
  Relation reads(2);
  trace.entries.clear();
  copy(b, a);
  copy(c, a);
  CHECK(found_in(trace) == reads);
}
