// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "model/base/error.h"
#include "runtime/nki/lower/nki_lowering.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/random/random_trace.h"
#include "tests/support/reference/happens_before.h"
#include "tests/support/reference/trace_words.h"

using namespace tahoma;
using namespace tahoma::runtime::nki;

namespace {

constexpr std::uint32_t kChip =
    1000000;  // the buffers of SBUF and PSUM; other tensors are buffers of their own

// Maximal runs of words, one region for each run and all partitions that have it. On chip, words are at their final
// addresses if `by_address`, else tensors are apart from each other.
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

// Nothing if the trace fits only with a tensor for each value: then its entries have other tensors.
std::optional<Case> lowered(const Trace& trace, const LoweringOptions& options) {
  Lowered made = lower(trace, tests::default_machine(), options);
  if (!made.warnings.empty()) return std::nullopt;
  Case result{{}, made.program};
  for (const Recorded& entry : trace.entries) {
    runtime::Op& op = result.ops.emplace_back();
    op.instruction.op = entry.instruction.op;
    // The list scheduler decides which of two tensors has common bytes first.
    touch(op, trace, tests::words_of(trace, entry), made.places, options.order == Order::kProgram);
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

std::optional<Case> random_case(std::uint64_t seed, unsigned placed) {
  tests::TraceRules rules;
  rules.entries = 40;
  rules.placed = placed;
  rules.matmuls = false;
  rules.usable = 1024;
  LoweringOptions options;
  options.allocation = seed % 2 == 0 ? Allocation::kRotating : Allocation::kFirstFit;
  options.order = seed % 3 == 0 ? Order::kList : Order::kProgram;
  try {
    return lowered(tests::TraceGenerator(seed, rules).trace(), options);
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
