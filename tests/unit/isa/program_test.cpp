// SPDX-License-Identifier: Apache-2.0
#include "isa/core/program.h"

#include <catch2/catch.hpp>

#include "isa/binary/container.h"
#include "isa/core/program_error.h"
#include "tests/support/random/random_program.h"

using namespace tahoma::isa;
using tahoma::tests::ProgramGenerator;

namespace {

using Bytes = std::vector<std::byte>;

ProgramError error_of(const Bytes& bytes) {
  try {
    from_bytes(bytes);
  } catch (const ProgramError& e) {
    return e;
  }
  FAIL("accepted");
  return {"", "", ""};
}

// Appends the checksum of `bytes` by the published definition of FNV-1a.
Bytes resealed(Bytes bytes) {
  bytes.erase(bytes.end() - 8, bytes.end());
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::byte b : bytes) {
    hash ^= std::to_integer<std::uint64_t>(b);
    hash *= 1099511628211ULL;
  }
  for (unsigned n = 0; n < 8; ++n) bytes.push_back(static_cast<std::byte>((hash >> (8 * n)) & 0xff));
  return bytes;
}

Program small_program() {
  Program p;
  p.name = "abc";
  p.args = {"in"};
  p.stream(Queue::kSync).push_back({});
  return p;
}
// Layout of small_program: magic 0, version 4, core 8, name 12, argument count 19, argument 23, control 29,
// regions 45, marks of each queue 49, source lines 77, line marks of each queue 81, filled tensors 109, their
// marks 113, useful FLOPs and bytes 141, counts 157, word 189, checksum 253.
constexpr std::size_t kVersionAt = 4, kCoreAt = 8, kNameAt = 16, kArgCountAt = 19, kControlAt = 29,
                      kCountsAt = 157, kWordAt = 189, kChecksumAt = 253;

}  // namespace

TEST_CASE("container: reading undoes writing", "[isa]") {
  constexpr std::uint64_t kSeed = 11;
  INFO("seed " << kSeed);
  ProgramGenerator generator(kSeed);
  for (unsigned n = 0; n < 100; ++n) {
    const Program p = generator.program(20);
    const Bytes bytes = to_bytes(p);
    if (to_bytes(from_bytes(bytes)) != bytes) FAIL("bytes " << n << " change");
  }
  CHECK(from_bytes(to_bytes(Program{})) == Program{});
  for (const CoreVersion core : {CoreVersion::kV2, CoreVersion::kV3, CoreVersion::kV4}) {
    Program p;
    p.core = core;
    CHECK(from_bytes(to_bytes(p)).core == core);
  }
}

TEST_CASE("container: every truncation is an error", "[isa]") {
  const Bytes bytes = to_bytes(small_program());
  REQUIRE(bytes.size() == kChecksumAt + 8);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK(error_of(Bytes(bytes.begin(), bytes.begin() + length)).code == "E-BIN-003");
}

TEST_CASE("container: every flipped bit is an error", "[isa]") {
  const Bytes bytes = to_bytes(small_program());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    Bytes wrong = bytes;
    wrong[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    CHECK_THROWS_AS(from_bytes(wrong), ProgramError);
  }
}

TEST_CASE("container: each kind of damage has its code and byte", "[isa]") {
  const Bytes good = to_bytes(small_program());
  Bytes b = good;
  b[0] = std::byte{'X'};
  CHECK(error_of(b).code == "E-BIN-001");

  b = good;
  b[kVersionAt] = std::byte{9};
  CHECK(error_of(b).code == "E-BIN-002");

  b = good;
  b[kCoreAt] = std::byte{5};
  CHECK(error_of(resealed(b)).code == "E-BIN-008");

  b = good;
  b.push_back(std::byte{0});
  CHECK(error_of(b).code == "E-BIN-004");

  b = good;
  b[kNameAt] = std::byte{' '};
  CHECK(error_of(resealed(b)).code == "E-BIN-005");

  b = good;
  b[kArgCountAt] = std::byte{kArguments + 1};
  CHECK(error_of(b).code == "E-BIN-006");

  b = good;
  b[kControlAt] = std::byte{2};
  CHECK(error_of(resealed(b)).code == "E-BIN-012");
  b[kControlAt] = std::byte{1};
  CHECK(from_bytes(resealed(b)).is_control(0));

  b = good;
  b[kWordAt] = std::byte{0xff};
  CHECK(error_of(resealed(b)).code == "E-BIN-007");
  CHECK(error_of(resealed(b)).place == "byte 189 (sync[0])");

  b = good;
  b[kWordAt + 63] = std::byte{1};
  CHECK(error_of(resealed(b)).code == "E-BIN-009");

  b = good;
  b.back() ^= std::byte{1};
  CHECK(error_of(b).code == "E-BIN-011");
  CHECK(error_of(b).place == "byte 253");
}

TEST_CASE("container: counts that promise more than the file holds allocate nothing", "[isa]") {
  Bytes b = to_bytes(small_program());
  for (std::size_t at = kCountsAt; at < kWordAt; ++at) b[at] = std::byte{0xff};
  CHECK(error_of(b).code == "E-BIN-003");
}

TEST_CASE("container: names that text could not carry are not written", "[isa]") {
  Program p;
  p.name = "two words";
  CHECK_THROWS_WITH(to_bytes(p), Catch::Contains("E-BIN-005"));
  p.name = "fine";
  p.args.assign(kArguments + 1, "a");
  CHECK_THROWS_WITH(to_bytes(p), Catch::Contains("E-BIN-006"));
  p.args.assign(kArguments, "a");
  p.control.set();
  CHECK(from_bytes(to_bytes(p)).control.all());
  p.args.pop_back();
  CHECK_THROWS_WITH(to_bytes(p), Catch::Contains("E-BIN-012"));
  CHECK(is_name("gemm.block-1_A"));
  CHECK_FALSE(is_name(""));
  CHECK_FALSE(is_name("a+b"));
  CHECK_FALSE(is_name(std::string(256, 'a')));
}

TEST_CASE("container: a source line is called from an earlier one", "[isa]") {
  Program p = small_program();
  p.lines = {{"kernel.py", 3, "kernel", kNoLine}, {"kernel.py", 12, "helper", 0}};
  p.line_marks[static_cast<std::size_t>(Queue::kSync)] = {{0, 1}};
  const Program again = from_bytes(to_bytes(p));
  CHECK(again == p);
  CHECK(again.line_at(Queue::kSync, 0) == 1);
  CHECK(again.line_at(Queue::kVector, 0) == kNoLine);
  p.lines[1].caller = 1;
  CHECK_THROWS_WITH(to_bytes(p), Catch::Contains("E-BIN-014"));
  p.lines[1].caller = 0;
  p.line_marks[static_cast<std::size_t>(Queue::kSync)] = {{0, 2}};
  CHECK_THROWS_WITH(to_bytes(p), Catch::Contains("E-BIN-013") && Catch::Contains("a line below 2"));
}

TEST_CASE("container: instructions keep the names of the tensors that they fill", "[isa]") {
  Program p = small_program();
  p.stream(Queue::kSync).edit().resize(3);
  p.filled = {{"qk"}, {"self.buf", ""}};
  auto& marks = p.filled_marks[static_cast<std::size_t>(Queue::kSync)];
  marks = {{1, 1}, {2, 0}};
  const Program again = from_bytes(to_bytes(p));
  CHECK(again == p);
  CHECK(again.filled_at(Queue::kSync, 0) == kNothingNamed);
  CHECK(again.filled_at(Queue::kSync, 1) == 1);
  CHECK(again.filled_at(Queue::kSync, 2) == 0);
  CHECK(again.filled_at(Queue::kVector, 0) == kNothingNamed);
  for (const FilledMark wrong : {FilledMark{1, 0}, FilledMark{2, 2}, FilledMark{3, 0}}) {
    marks = {{1, 1}, wrong};
    CHECK_THROWS_WITH(to_bytes(p), Catch::Contains("E-BIN-013") && Catch::Contains("list of filled tensors"));
  }
}

TEST_CASE("container: marks rise within their stream and name regions that there are", "[isa]") {
  Program p = small_program();
  p.regions = {"load", "scale"};
  p.stream(Queue::kSync).edit().resize(5);
  auto& marks = p.marks[static_cast<std::size_t>(Queue::kSync)];
  marks = {{1, 1}, {3, 0}};
  CHECK(from_bytes(to_bytes(p)) == p);
  for (const RegionMark wrong : {RegionMark{1, 0}, RegionMark{3, 2}, RegionMark{5, 0}}) {
    marks = {{1, 1}, wrong};
    CHECK_THROWS_WITH(to_bytes(p), Catch::Contains("E-BIN-013"));
  }
  p.regions = {"a name"};
  marks.clear();
  CHECK_THROWS_WITH(to_bytes(p), Catch::Contains("E-BIN-005"));
}

TEST_CASE("container: a global address keeps its three parts", "[isa]") {
  const GlobalAddress a{63, 3, 0xfedcba987};
  const GlobalAddress b = GlobalAddress::from(a.bits());
  CHECK(b.chip == 63);
  CHECK(b.stack == 3);
  CHECK(b.offset == 0xfedcba987);
}
