// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "frontend/nki/lower/nki_lowering.h"
#include "model/base/error.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/random/random_trace.h"
#include "tests/support/reference/happens_before.h"
#include "tests/support/reference/trace_words.h"

using namespace tahoma;
using namespace tahoma::runtime::nki;

namespace {

constexpr std::uint32_t kChip =
    1000000;  // the buffers of SBUF and PSUM; other tensors are buffers of their own
constexpr std::uint32_t kByHand = 2000000;

// Maximal runs of words, one region for each run and all partitions that have it. On chip, words are at their
// final addresses if `by_address`, else tensors are apart from each other.
void touch(runtime::Op& op, const Trace& trace, const std::vector<tests::Word>& words,
           const std::vector<Place>& places, bool by_address) {
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::set<std::uint64_t>>
      bytes;  // of write, buffer, row
  for (const tests::Word& word : words) {
    const Storage& s = *trace.storages[word.storage];
    const bool placed = by_address && s.on_chip();
    const std::uint32_t buffer = placed ? kChip + static_cast<std::uint32_t>(s.buffer) : s.id;
    const Place at = placed ? places[s.id] : Place{};
    bytes[{word.write, buffer, word.partition + at.partition}].insert(word.byte + at.byte);
  }
  for (const auto& [key, set] : bytes)
    for (const std::uint64_t byte : set) {
      if (byte >= 4 && set.contains(byte - 4)) continue;
      std::uint64_t end = byte + 4;
      while (set.contains(end)) end += 4;
      const auto& [write, buffer, row] = key;
      const auto same = std::find_if(op.accesses.begin(), op.accesses.end(), [&](const runtime::Access& a) {
        return a.write == write && a.region.buffer == buffer && a.region.row + a.region.rows == row &&
               a.region.byte == byte && a.region.bytes == end - byte;
      });
      if (same != op.accesses.end())
        ++same->region.rows;
      else
        op.touch({buffer, row, 1, byte, end - byte}, write);
    }
}

struct Case {
  std::vector<runtime::Op> ops;  // by entry
  isa::Program program;          // its instructions are numbered as find_race() expects
};

// Returns nothing if the trace fits only with a tensor for each value: then its entries have other tensors.
std::optional<Case> lowered(const Trace& trace, const LoweringOptions& options) {
  Lowered made = lower(trace, tests::default_machine(), options);
  if (!made.warnings.empty()) return std::nullopt;
  Case result{{}, made.program};
  for (const Recorded& entry : trace.entries) {
    runtime::Op& op = result.ops.emplace_back();
    op.instruction.op = entry.instruction.op;
    // The list scheduler decides which of two tensors has common bytes first.
    touch(op, trace, tests::words_of(trace, entry), made.places,
          options.choices.compiler == Compiler::kPlain);
  }
  // A byte for each entry that others depend on by hand: it writes the byte, and they read it.
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e)
    for (const std::uint32_t before : trace.entries[e].after) {
      result.ops[before].touch({kByHand, before, 1, 0, 1}, true);
      result.ops[e].touch({kByHand, before, 1, 0, 1}, false);
    }
  std::size_t numbered = 0;
  for (std::size_t q = 0; q < isa::kQueueCount; ++q) {
    const auto queue = static_cast<isa::Queue>(q);
    auto& stream = result.program.stream(queue).edit();
    for (std::uint32_t n = 0; n < stream.size(); ++n) {
      if (stream[n].op == isa::Opcode::kSemWait) continue;
      const std::uint32_t entry = made.program.line_at(queue, n);
      stream[n].imm = static_cast<std::int32_t>(entry) + 1;
      stream[n].descriptor = entry;
      ++numbered;
    }
  }
  REQUIRE(numbered == trace.entries.size());
  return result;
}

// `after`: some entries are ordered by hand; `kept`: the lowering is told so.
std::optional<Case> random_case(std::uint64_t seed, unsigned placed, bool after = false, bool kept = true) {
  tests::TraceRules rules;
  rules.after = after;
  rules.entries = 40;
  rules.placed = placed;
  rules.matmuls = false;
  rules.usable = 1024;
  LoweringOptions options;
  options.allocation = seed % 2 == 0 ? Allocation::kRotating : Allocation::kFirstFit;
  options.choices.compiler = seed % 3 == 0 ? Compiler::kNeuron : Compiler::kPlain;
  Trace trace = tests::TraceGenerator(seed, rules).trace();
  if (!kept)
    for (Recorded& entry : trace.entries) entry.after.clear();
  try {
    return lowered(trace, options);
  } catch (const base::UserError& error) {
    // Not every trace fits, and tensors at hand-given addresses may lose their bytes to others.
    INFO(error.what());
    CHECK((error.code == "E-NKI-020" || error.code == "E-NKI-025" || error.code == "E-ISA-044"));
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("nki semaphores: conflicts of bytes are ordered, also between tensors at hand-given addresses",
          "[nki]") {
  for (const unsigned placed : {0U, 50U, 100U}) {
    unsigned judged = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const auto made = random_case(seed, placed);
      if (!made) continue;
      const auto race = tests::find_race(made->ops, made->program);
      INFO("seed " << seed << ", placed " << placed << ": " << race.value_or("no race"));
      CHECK_FALSE(race);
      ++judged;
    }
    CHECK(judged > 10);
  }
}

TEST_CASE("nki semaphores: without its waits, the program of a kernel has a race", "[nki]") {
  unsigned judged = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto made = random_case(seed, 100);
    if (!made) continue;
    for (auto& stream : made->program.streams)
      for (isa::Instruction& i : stream.edit()) i.wait = {};
    INFO("seed " << seed);
    CHECK(tests::find_race(made->ops, made->program));
    ++judged;
  }
  CHECK(judged > 3);
}

TEST_CASE("nki semaphores: what the kernel orders by hand is ordered, and only if the kernel says so",
          "[nki]") {
  unsigned judged = 0, unordered = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto made = random_case(seed, 0, true);
    if (!made) continue;
    const auto race = tests::find_race(made->ops, made->program);
    INFO("seed " << seed << ": " << race.value_or("no race"));
    CHECK_FALSE(race);
    ++judged;
    // The same kernel without its orders by hand leaves some of them out.
    auto without = random_case(seed, 0, true, false);
    if (without && tests::find_race(made->ops, without->program)) ++unordered;
  }
  CHECK(judged > 10);
  CHECK(unordered > judged / 2);
}
