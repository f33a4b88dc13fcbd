// SPDX-License-Identifier: Apache-2.0
// Compares the parts of the checker with simple definitions: sets of bytes, one by one.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "isa/text/assembler.h"
#include "model/check/access_log.h"
#include "model/check/byte_sets.h"
#include "model/check/clock.h"
#include "model/check/memory_state.h"
#include "model/check/race_checker.h"
#include "model/check/report.h"

using namespace tahoma;
using namespace tahoma::model::check;

namespace {

using Byte = std::pair<unsigned, std::uint64_t>;  // partition, byte

std::set<Byte> bytes_of(const isa::Pattern& p) {
  std::set<Byte> bytes;
  for (unsigned row = 0; row < p.partitions; ++row)
    for (std::uint32_t i = 0; i < p.count[0]; ++i)
      for (std::uint32_t j = 0; j < p.count[1]; ++j)
        for (std::uint32_t k = 0; k < p.count[2]; ++k)
          for (std::uint32_t l = 0; l < p.count[3]; ++l)
            for (std::uint32_t b = 0; b < p.element; ++b)
              bytes.insert({p.partition + row,
                            static_cast<std::uint64_t>(static_cast<std::int64_t>(p.offset) + i * p.stride[0] +
                                                       j * p.stride[1] + k * p.stride[2] + l * p.stride[3]) +
                                b});
  return bytes;
}

isa::Pattern random_pattern(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  isa::Pattern p;
  p.partition = static_cast<std::uint16_t>(kGroupPartitions - 2 + below(4));  // in one group, or in two
  p.partitions = static_cast<std::uint16_t>(1 + below(3));
  p.element = 1U << below(3);
  p.offset = 256 + p.element * below(64);
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    p.count[d] = 1 + (below(2) == 0 ? 0 : below(4));
    p.stride[d] = (static_cast<std::int64_t>(below(17)) - 8) * p.element;
  }
  return p;
}

std::set<Byte> bytes_of(const Footprint& f) {
  std::set<Byte> bytes;
  f.for_each_run([&](std::uint64_t begin, std::uint64_t end) {
    for (unsigned row = 0; row < f.partitions; ++row)
      for (std::uint64_t b = begin; b < end; ++b) bytes.insert({f.partition + row, b});
  });
  return bytes;
}

bool intersect(const std::set<Byte>& a, const std::set<Byte>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Byte& byte) { return b.count(byte) > 0; });
}

constexpr std::uint32_t kSeed = 7;

}  // namespace

TEST_CASE("footprint: has the bytes of its pattern, and two overlap exactly if they share one", "[check]") {
  std::mt19937 random(kSeed);
  INFO("seed " << kSeed);
  std::size_t apart_in_one_box = 0;
  for (int n = 0; n < 4000; ++n) {
    const isa::Pattern a = random_pattern(random), b = random_pattern(random);
    const Footprint f = footprint_of(a), g = footprint_of(b);
    const auto fa = bytes_of(a), gb = bytes_of(b);
    REQUIRE(bytes_of(f) == fa);
    REQUIRE(overlap(f, g) == intersect(fa, gb));
    REQUIRE(overlap(g, f) == overlap(f, g));
    if (f.contains(g)) REQUIRE(std::includes(fa.begin(), fa.end(), gb.begin(), gb.end()));
    apart_in_one_box += f.boxes_meet(g) && !overlap(f, g);
  }
  CHECK(apart_in_one_box > 100);  // strides that interleave do occur
}

TEST_CASE("footprint: long interleaved rows are distinguished without walking them", "[check]") {
  isa::Pattern even;
  even.count = {1, 1, 128, 4096};
  even.stride = {0, 0, 1 << 20, 8};
  even.element = 4;
  even.offset = 1 << 20;
  isa::Pattern odd = even;
  odd.offset += 4;
  CHECK_FALSE(overlap(footprint_of(even), footprint_of(odd)));
  odd.offset += 4;
  CHECK(overlap(footprint_of(even), footprint_of(odd)));
}

TEST_CASE("byte sets: contain the bytes that were added and not removed", "[check]") {
  std::mt19937 random(kSeed);
  INFO("seed " << kSeed);
  for (int round = 0; round < 40; ++round) {
    PartitionMap map;
    ByteSet flat;
    std::set<Byte> expected, expected_flat;
    for (int n = 0; n < 25; ++n) {
      const isa::Pattern p = random_pattern(random);
      const Footprint f = footprint_of(p);
      const auto bytes = bytes_of(p);
      const bool all = std::includes(expected.begin(), expected.end(), bytes.begin(), bytes.end());
      REQUIRE(map.contains(f) == all);
      REQUIRE(map.common(f).has_value() == intersect(bytes, expected));
      if (const auto gap = map.missing(f)) {
        REQUIRE(gap->begin < gap->end);
        for (std::uint64_t b = gap->begin; b < gap->end; ++b)
          for (unsigned row = 0; row < kGroupPartitions; ++row)
            if ((gap->partitions >> row & 1) != 0) REQUIRE(expected.count({gap->first + row, b}) == 0);
      }
      isa::Pattern line = p;
      line.partition = 0;
      line.partitions = 1;
      const auto flat_bytes = bytes_of(line);
      REQUIRE(
          flat.missing(footprint_of(line)).has_value() !=
          std::includes(expected_flat.begin(), expected_flat.end(), flat_bytes.begin(), flat_bytes.end()));
      if (random() % 3 == 0) {
        map.erase(f);
        for (const Byte& byte : bytes) expected.erase(byte);
      } else {
        map.insert(f);
        expected.insert(bytes.begin(), bytes.end());
        flat.insert(footprint_of(line));
        expected_flat.insert(flat_bytes.begin(), flat_bytes.end());
      }
    }
  }
}

TEST_CASE("clock: merges the knowledge of every core, and snapshots never change", "[check]") {
  Knowledge mine(2), theirs(5);
  mine.learn({2, 3, 7});
  theirs.learn({5, 1, 4});
  theirs.learn({9, 0, 2});
  const SharedClock before = mine.snapshot();
  mine.learn({5, 8, 1}, *theirs.snapshot());
  CHECK(mine.covers({2, 3, 7}));
  CHECK(mine.covers({5, 1, 4}));
  CHECK(mine.covers({5, 8, 1}));
  CHECK(mine.covers({9, 0, 2}));
  CHECK_FALSE(mine.covers({9, 0, 3}));
  CHECK_FALSE(before->covers({5, 1, 1}));
  theirs.learn({2, 3, 9}, *mine.snapshot());
  CHECK(theirs.covers({2, 3, 9}));
  CHECK(theirs.covers({5, 8, 1}));
  CHECK_FALSE(mine.covers({2, 3, 8}));
}

TEST_CASE("access log: stays short when every core advances", "[check]") {
  AccessLog log(11);
  const auto never = [](const Record&) { return false; };
  const auto always = [](const Record&) { return true; };
  Record r;
  r.footprint = footprint_of({isa::Space::kSbuf, 0, 128, 0, 4, {1, 1, 1, 1024}, {0, 0, 0, 4}});
  for (Count n = 0; n < 10'000; ++n) {
    r.point.count = n;
    r.write = n % 2 == 0;
    log.add(r, always, never);  // implied by the next access
  }
  CHECK(log.records() <= 2);
  for (std::uint32_t n = 0; n < 10'000; ++n) {  // not implied by any, but known to all cores after a while
    r.footprint = footprint_of({isa::Space::kSbuf, 0, 1, n % 2048, 1, {1, 1, 1, 1}, {}});
    log.add(r, never, [&](const Record&) { return true; });
  }
  CHECK(log.records() < 200);
}

TEST_CASE("PSUM: a group is open until its last matmul, and sums are those of a matmul", "[check]") {
  CoreMemory memory;
  const Footprint bank = footprint_of({isa::Space::kPsum, 0, 128, 0, 4, {1, 1, 1, 512}, {0, 0, 0, 4}});
  const Footprint half = footprint_of({isa::Space::kPsum, 0, 64, 0, 4, {1, 1, 1, 512}, {0, 0, 0, 4}});
  const Footprint rest = footprint_of({isa::Space::kPsum, 64, 64, 0, 4, {1, 1, 1, 512}, {0, 0, 0, 4}});
  CHECK(memory.without_sums(bank));
  memory.write_psum(bank, true, true);
  CHECK_FALSE(memory.without_sums(bank));
  CHECK(memory.in_open_group(half));
  memory.write_psum(half, true, false);  // its last matmul
  CHECK_FALSE(memory.in_open_group(half));
  CHECK(memory.in_open_group(bank));
  memory.write_psum(rest, false, false);  // something else overwrites the other half
  CHECK_FALSE(memory.in_open_group(bank));
  CHECK(memory.without_sums(bank));
  CHECK_FALSE(memory.without_sums(half));
  // As the report states it.
  Findings findings;
  Report report([](std::uint32_t) { return std::string("core0"); }, findings);
  memory.write_psum(bank, true, true);
  report.open_group({0, 5, 6, isa::Queue::kVector, isa::Opcode::kTensorCopy}, half,
                    *memory.in_open_group(half));
  REQUIRE(findings.found(Kind::kOpenGroup) == 1);
  CHECK_THAT(findings.first().front(), Catch::StartsWith("E-CHK-003") && Catch::Contains("core0.vector[5]"));
}

TEST_CASE(
    "rendezvous: the work of one core before a barrier is known to the other after it, and not otherwise",
    "[check]") {
  const isa::Program program = isa::assemble(
      "gpsimd:\n memset shape=1x1 dst=sbuf[0, 0]:fp32 value=1\n core_barrier\n memset shape=1x1 dst=sbuf[0, "
      "0]:fp32 value=1\n",
      "rendezvous");
  const auto& stream = program.stream(isa::Queue::kGpSimd);
  isa::OperandAccess shared;  // of a tensor in HBM
  shared.pattern.space = isa::Space::kHbm;
  shared.pattern.offset = 4096;
  shared.writes = true;
  for (const bool together : {true, false}) {
    RaceChecker checker({true, false},
                        {2, 4, [](std::uint32_t core) { return "core" + std::to_string(core); }});
    std::array<Step, 3> one, other;
    for (std::uint32_t n = 0; n < 3; ++n) {
      one[n] = {0, isa::Queue::kGpSimd, n, &stream[n]};
      other[n] = {1, isa::Queue::kGpSimd, n, &stream[n]};
    }
    checker.load(0, program);
    checker.load(1, program);
    checker.start(one[0], {&shared, 1});
    checker.start(other[0], {});
    checker.arrive(one[1]);
    checker.arrive(other[1]);
    if (together) checker.rendezvous({0, isa::Queue::kGpSimd}, {1, isa::Queue::kGpSimd});
    checker.depart(other[1]);
    checker.depart(one[1]);
    checker.start(other[2], {&shared, 1});
    CHECK(checker.findings().found(Kind::kRace) == (together ? 0 : 1));
  }
}
