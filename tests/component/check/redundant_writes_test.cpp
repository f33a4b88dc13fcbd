// SPDX-License-Identifier: Apache-2.0
// Races of two cores that write the same values: harmless if and only if the values are equal.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "model/check/disputed_writes.h"
#include "tests/support/program/checked_run.h"

using namespace tahoma;
using namespace tahoma::model::check;
using tests::checked_run, tests::CheckedRun, tests::CoreText;

namespace {

struct Counted {
  std::size_t races = 0, redundant = 0, others = 0;
  friend bool operator==(const Counted&, const Counted&) = default;
};

Counted counted(const std::vector<CoreText>& programs, const std::string& equal,
                model::Mode mode = model::Mode::kFunctional) {
  Counted n;
  for (const bool run_ahead : {true, false}) {
    n = {};
    for (const std::string& line :
         checked_run(programs, {{true, true}, mode, run_ahead, "abcdefghABCDEFGH", equal}))
      ++(line.starts_with("E-CHK-001") ? n.races : line.starts_with("redundant") ? n.redundant : n.others);
  }
  return n;
}

std::string copy(const std::string& dst, const std::string& src, const std::string& rest = "") {
  return " dma_copy S dst=" + dst + ":fp32 src=" + src + ":fp32 " + rest + "\n";
}

std::vector<CoreText> on_both(const std::string& first, const std::string& second) {
  return {{0, "sync:\n" + first}, {1, "sync:\n" + second}};
}

std::set<std::uint64_t> offsets_of(const Footprint& f) {
  std::set<std::uint64_t> bytes;
  f.for_each_run([&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t b = begin; b < end; ++b) bytes.insert(b);
  });
  return bytes;
}

}  // namespace

TEST_CASE("redundant writes: two cores may write the same values into the same bytes", "[check]") {
  const auto programs = on_both(copy("b", "a"), copy("b", "c"));
  CHECK(counted(programs, "c") == Counted{0, 1, 0});
  CHECK(counted(programs, "") == Counted{1, 0, 0});
  CHECK(counted(programs, "c", model::Mode::kTiming) == Counted{1, 0, 0});  // no values to compare
}

TEST_CASE("redundant writes: only the bytes that both write count", "[check]") {
  // Each writes 256 KiB; the second half of one and the first of the other are the same bytes.
  const auto programs = on_both(copy("b", "a"), copy("b+0x20000", "c"));
  CHECK(counted(programs, "c") == Counted{0, 1, 0});
  CHECK(counted(programs, "") == Counted{1, 0, 0});
}

TEST_CASE("redundant writes: each core may read what it has written itself", "[check]") {
  const auto write_and_read = [](const char* from, const char* to) {
    return copy("b", from, "update=s0+=1") + copy(to, "b", "wait=s0>=16");
  };
  const auto programs = on_both(write_and_read("a", "d"), write_and_read("c", "e"));
  CHECK(counted(programs, "c") == Counted{0, 1, 0});
  const Counted different = counted(programs, "");
  CHECK(different.races >= 2);  // the writes, and at least one read
  CHECK(different.redundant == 0);
}

TEST_CASE("redundant writes: a core that reads what only another writes races", "[check]") {
  const auto programs =
      on_both(copy("b", "a"), copy("e", "f", "update=s0+=1") + copy("d", "b", "wait=s0>=16"));
  CHECK(counted(programs, "bd") == Counted{1, 0, 0});
}

TEST_CASE("redundant writes: a core that reads before another repeats the values races", "[check]") {
  const auto programs =
      on_both(copy("d", "b"), copy("e", "f", "update=s0+=1") + copy("b", "a", "wait=s0>=16"));
  CHECK(counted(programs, "b") == Counted{1, 0, 0});
}

TEST_CASE("redundant writes: transfers of one core race whatever they write", "[check]") {
  const std::vector<CoreText> programs{{0, "sync:\n" + copy("b", "a") + "scalar:\n" + copy("b", "c")}};
  CHECK(counted(programs, "c") == Counted{1, 0, 0});
}

TEST_CASE("redundant writes: a third core with other values races with both", "[check]") {
  const std::vector<CoreText> programs{
      {0, "sync:\n" + copy("b", "a")}, {1, "sync:\n" + copy("b", "c")}, {2, "sync:\n" + copy("b", "d")}};
  const Counted n = counted(programs, "c");
  CHECK(n.races >= 1);
  CHECK(counted(programs, "cd") == Counted{0, 3, 0});
}

TEST_CASE("common bytes: those of both footprints, one by one", "[check]") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto lattice = [&] {
    isa::Pattern p;
    p.element = 1U << below(3);
    p.offset = 256 + below(64);
    for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
      p.count[d] = 1 + below(4);
      p.stride[d] = (static_cast<std::int64_t>(below(17)) - 8) * p.element;
    }
    return Footprint(p);
  };
  for (int n = 0; n < 2000; ++n) {
    const Footprint a = lattice(), b = lattice();
    std::set<std::uint64_t> want, got;
    const std::set<std::uint64_t> first = offsets_of(a), second = offsets_of(b);
    std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                          std::inserter(want, want.end()));
    for (const ByteRange& range : common_bytes(a, b))
      for (std::uint64_t byte = range.begin; byte < range.end; ++byte) got.insert(byte);
    REQUIRE(got == want);
  }
}
