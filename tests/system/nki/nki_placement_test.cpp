// SPDX-License-Identifier: Apache-2.0
// Addresses of tensors in small kernels that a test can write down.
#include <catch2/catch.hpp>
#include <set>

#include "frontend/nki/lower/memory/allocate.h"
#include "tests/support/program/refusal_of.h"

using namespace tahoma;
using namespace tahoma::runtime::nki;

namespace {

// A trace of memsets of whole tensors; the tests say when each is declared.
struct Memsets {
  Trace trace;
  explicit Memsets(std::uint32_t usable) : trace({}, usable, "memsets") {}

  View declare(std::int64_t bytes, Buffer buffer = Buffer::kSbuf, std::optional<Place> place = {},
               std::string name = "") {
    Storage storage;
    storage.name = std::move(name);
    storage.buffer = buffer;
    storage.element = element_by_name("float32");
    storage.shape = {128, bytes / 4};
    storage.place = place;
    trace.at_line = static_cast<std::uint32_t>(trace.lines.size());
    trace.lines.push_back({"kernel.py", trace.at_line + 1, "kernel", isa::kNoLine});
    return whole(trace.declare(std::move(storage)));
  }
  void use(const View& view) {
    isa::Instruction memset;
    memset.op = isa::Opcode::kMemset;
    trace.compute(memset, {{isa::FieldKind::kDst, view}}, std::nullopt);
  }
  View used(std::int64_t bytes, Buffer buffer = Buffer::kSbuf) {
    View view = declare(bytes, buffer);
    use(view);
    return view;
  }
  std::vector<std::uint32_t> bytes(Allocation policy) const {
    std::vector<std::uint32_t> found;
    for (const Place& place : allocate(trace, live_ranges(trace), policy)) found.push_back(place.byte);
    return found;
  }
};

}  // namespace

TEST_CASE("nki memory: a tensor of PSUM has a bank of its own as long as there are enough", "[nki]") {
  const std::uint32_t bank = isa::Limits{}.psum_bank_bytes, banks = isa::Limits{}.psum_bytes / bank;
  for (const std::uint32_t count : {banks, banks + 1}) {
    Memsets kernel(4096);
    std::vector<View> tensors;
    for (std::uint32_t n = 0; n < count; ++n) tensors.push_back(kernel.used(256, Buffer::kPsum));
    for (const View& tensor : tensors) kernel.use(tensor);
    std::set<std::uint32_t> used;
    for (const std::uint32_t byte : kernel.bytes(Allocation::kFirstFit)) used.insert(byte / bank);
    if (count == banks)
      CHECK(used.size() == banks);
    else
      CHECK(used.size() < count);
  }
}

TEST_CASE("nki memory: a loop that allocates again rotates through all bytes, first fit reuses the first",
          "[nki]") {
  constexpr unsigned kBuffers = 4, kIterations = 11;
  Memsets kernel(kBuffers * 512);
  for (unsigned n = 0; n < kIterations; ++n) kernel.used(512);
  const auto rotating = kernel.bytes(Allocation::kRotating), first = kernel.bytes(Allocation::kFirstFit);
  for (unsigned n = 0; n < kIterations; ++n) {
    CHECK(rotating[n] == n % kBuffers * 512);
    CHECK(first[n] == 0);
  }
}

TEST_CASE("nki memory: without room the error lists what lives, largest first, and nothing else", "[nki]") {
  Memsets kernel(4096);
  const View dead = kernel.declare(1024, Buffer::kSbuf, {}, "dead"),
             small = kernel.declare(512, Buffer::kSbuf, {}, "small"),
             large = kernel.declare(2048, Buffer::kSbuf, {}, "large"),
             late = kernel.declare(64, Buffer::kSbuf, {}, "late"),
             wanted = kernel.declare(2048, Buffer::kSbuf, {}, "wanted");
  for (const View& view : {dead, small, large, wanted, small, large, late}) kernel.use(view);
  const std::string text = tests::refusal_of([&] { kernel.bytes(Allocation::kFirstFit); });
  INFO(text);
  CHECK_THAT(text, Catch::Contains("kernel.py:5") && Catch::Contains("E-NKI-020"));
  CHECK_THAT(text, Catch::Contains("'wanted' float32[128, 512] in sbuf needs 2048 bytes"));
  CHECK_THAT(text, Catch::Contains("sbuf has 4096"));
  CHECK_THAT(text, Catch::Contains("2048 bytes  'large' float32[128, 512] in sbuf, kernel.py:3"));
  CHECK_THAT(text, Catch::Contains("512 bytes  'small' float32[128, 128] in sbuf, kernel.py:2"));
  CHECK(text.find("'large'") < text.find("'small'"));
  CHECK_THAT(text, !Catch::Contains("dead") && !Catch::Contains("late"));
}

TEST_CASE("nki memory: without room the error shows twenty tensors and counts the others", "[nki]") {
  Memsets kernel(26 * 64);
  std::vector<View> all;
  for (unsigned n = 0; n < 26; ++n) all.push_back(kernel.used(64));
  const View wanted = kernel.used(64);
  for (const View& view : all) kernel.use(view);
  CHECK_THAT(tests::refusal_of([&] { kernel.bytes(Allocation::kRotating); }), Catch::Contains("and 6 more"));
}

TEST_CASE("nki memory: a tensor declared outside of a device loop lives as long as the loop", "[nki]") {
  Memsets kernel(4096);
  const auto loop = [&](RegisterWork::Kind kind) {
    RegisterWork work;
    work.kind = kind;
    kernel.trace.registers_work(work);
  };
  const View outside = kernel.used(64);  // entry 0
  loop(RegisterWork::Kind::kLoopBegin);  // 1
  kernel.use(outside);                   // 2
  const View inside = kernel.used(64);   // 3
  loop(RegisterWork::Kind::kLoopEnd);    // 4
  const View behind = kernel.used(64);   // 5
  const std::vector<LiveRange> ranges = live_ranges(kernel.trace);
  const auto range = [&](const View& view) {
    const LiveRange& r = ranges[view.storage->id];
    return std::pair(r.first, r.last);
  };
  CHECK(range(outside) == std::pair(0U, 4U));
  CHECK(range(inside) == std::pair(3U, 3U));
  CHECK(range(behind) == std::pair(5U, 5U));
}

TEST_CASE("nki memory: bytes of a placed tensor go to another one only if there are no others", "[nki]") {
  for (const std::int64_t usable : {1024, 512}) {
    Memsets kernel(static_cast<std::uint32_t>(usable));
    kernel.use(kernel.declare(512, Buffer::kSbuf, Place{0, 0}));
    kernel.used(512);
    CHECK(kernel.bytes(Allocation::kFirstFit)[1] == (usable == 1024 ? 512U : 0U));
  }
}
