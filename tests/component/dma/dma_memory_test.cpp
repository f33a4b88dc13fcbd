// SPDX-License-Identifier: Apache-2.0
// DMA engines with memories that answer late: times are those that the memories state, whenever they state
// them.
#include <catch2/catch.hpp>

#include "tests/support/bench/dma_bench.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::tests;
using namespace tahoma::base::literals;
using base::Duration, base::Time;
using isa::Space;

namespace {

model::MachineParams machine() {
  model::MachineParams m = machine_of(1, 1, 1);
  m.chip.core.dma.increment_spacing = Duration{0};  // its gaps go to the semaphore that is announced first
  m.chip.noc.cross_die_bandwidth.ideal = true;      // likewise
  return m;
}

isa::DmaSide hbm_side(std::int32_t row) {
  return {Space::kHbm, isa::DType::kFp32, 0, 0, 0, 0, {row, 0, 0, 1}};
}
isa::DmaSide sbuf_side() { return {Space::kSbuf, isa::DType::kFp32, 0, isa::kNone, 0, 0, {0, 0, 0, 1}}; }

enum class Kind { kLoad, kStore, kCopy, kAdd, kSum, kSend };

// Transfers on three rings, each with its own semaphore and destination.
struct Traffic {
  struct Item {
    Kind kind;
    std::vector<isa::Descriptor> sources;
    model::TransferRequest request;
    std::uint64_t bytes = 0;
  };
  std::deque<Item> items;

  void add(Kind kind, std::uint32_t rows, std::uint32_t columns, std::uint32_t stack) {
    Item& item = items.emplace_back();
    const auto n = static_cast<std::uint32_t>(items.size());
    item.kind = kind;
    isa::Descriptor d;
    d.count = {rows, 1, 1, columns};
    const auto pitch = static_cast<std::int32_t>(columns + 8 * (n % 2));
    d.src = kind == Kind::kStore || kind == Kind::kSend ? sbuf_side() : hbm_side(pitch);
    d.dst = kind == Kind::kLoad ? sbuf_side() : hbm_side(pitch);
    d.accumulate = kind == Kind::kAdd;
    item.sources.assign(kind == Kind::kSum ? 3 : 1, d);
    model::TransferRequest& r = item.request;
    r.sources = item.sources;
    const auto at = [&](std::uint32_t place) {
      return isa::GlobalAddress{kind == Kind::kSend ? 1U : 0U, stack, std::uint64_t{place} << 24}.bits();
    };
    r.dst = at(8 * n);
    for (std::uint32_t s = 1; s < item.sources.size(); ++s) r.more_src.push_back(at(8 * n + 1 + s));
    r.src = at(8 * n + 1);
    r.ring = n % 3;
    r.notify = sim::Notify{0, static_cast<std::uint8_t>(n), 0, 1};
    item.bytes = std::uint64_t{rows} * columns * 4;
  }
};

Traffic random_traffic(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Traffic t;
  for (int n = 0; n < 24; ++n) {
    const auto kind = static_cast<Kind>(random() % 6);
    const auto rows = static_cast<std::uint32_t>(1 + random() % 128);
    const auto columns = static_cast<std::uint32_t>(1 + random() % (n % 3 == 0 ? 2500 : 60));
    t.add(kind, rows, columns, static_cast<std::uint32_t>(random() % 2));
  }
  return t;
}

std::string run_transfer(std::uint64_t seed, Answers answers, const model::MachineParams& m) {
  return in_child([&] {
    const Traffic traffic = random_traffic(seed);
    DmaBench bench(m, answers);
    for (const auto& item : traffic.items) bench.ring(item.request);
    return bench.run();
  });
}

// Maximum bytes and packets of one engine in flight when another access begins.
struct Most {
  std::uint64_t bytes = 0, accesses = 0;
};
Most most_under_way(const std::vector<SlowMemory::Access>& all, bool writes, Duration before,
                    Duration after) {
  Most most;
  for (unsigned engine = 0; engine < 16; ++engine) {
    std::vector<SlowMemory::Access> mine;
    for (const auto& a : all)
      if (a.write == writes && a.engine == engine) mine.push_back(a);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      Most here;
      for (std::size_t j = 0; j < i; ++j)
        if (mine[j].last + after > mine[i].arrival - before) {
          here.bytes += mine[j].bytes;
          ++here.accesses;
        }
      most.bytes = std::max(most.bytes, here.bytes);
      most.accesses = std::max(most.accesses, here.accesses);
    }
  }
  return most;
}

}  // namespace

TEST_CASE("dma memory: times do not depend on when a memory answers, nor in which order", "[dma]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    model::MachineParams m = machine();
    if (seed % 3 == 0) {  // tight windows
      m.chip.core.dma.read_window = 4_KiB;
      m.chip.core.dma.write_packets = 2;
    }
    if (seed % 4 == 0) m.chip.core.dma.remote_window = 1;
    const std::string at_once = run_transfer(seed, Answers::kAtOnce, m);
    REQUIRE(at_once.size() > 10'000);
    CHECK(run_transfer(seed, Answers::kInOrder, m) == at_once);
    CHECK(run_transfer(seed, Answers::kAnyTime, m) == at_once);
    CHECK(run_transfer(seed, Answers::kLast, m) == at_once);
  }
}

TEST_CASE("dma memory: nothing is lost, and everything is written once", "[dma]") {
  const Traffic traffic = random_traffic(5);
  DmaBench bench(machine(), Answers::kAnyTime);
  for (const auto& item : traffic.items) bench.ring(item.request);
  CHECK_FALSE(bench.dma.idle());
  bench.run();
  CHECK(bench.dma.idle());
  CHECK(bench.pool.in_use() == 0);
  std::uint64_t written = 0, read = 0, expected_writes = 0, expected_reads = 0;
  for (const SlowMemory* memory : {&bench.near, &bench.far})
    for (const auto& a : memory->accesses) (a.write ? written : read) += a.bytes;
  for (std::size_t n = 0; n < traffic.items.size(); ++n) {
    const auto& item = traffic.items[n];
    if (item.kind != Kind::kLoad && item.kind != Kind::kSend) expected_writes += item.bytes;
    if (item.kind != Kind::kStore && item.kind != Kind::kSend)
      expected_reads += item.bytes * (item.kind == Kind::kAdd ? 2 : item.sources.size());
    CAPTURE(n);
    if (item.kind != Kind::kSend) CHECK(bench.log.changes.at(static_cast<std::uint8_t>(n + 1)).size() == 16);
  }
  CHECK(written == expected_writes);
  CHECK(read == expected_reads);
  CHECK(bench.sent > 0);
}

TEST_CASE("dma memory: a store's semaphore waits until the memory has all of it", "[dma]") {
  Traffic traffic;
  for (int n = 0; n < 20; ++n) traffic.add(Kind::kStore, 64, 300, 0);
  DmaBench bench(machine(), Answers::kAnyTime);
  for (const auto& item : traffic.items) bench.ring(item.request);
  bench.run();
  const auto& m = bench.machine.chip;
  for (std::size_t n = 0; n < traffic.items.size(); ++n) {
    Time accepted{0};
    for (const auto& a : bench.near.accesses)
      if (a.address >> 27 == traffic.items[n].request.dst >> 27) accepted = std::max(accepted, a.last);
    const auto semaphore = static_cast<std::uint8_t>(n + 1);
    // the time beyond the path to the memory: the measured latency of a write that does not wait
    const Duration more = m.core.dma.write_hbm - m.noc.request;
    CHECK(bench.log.change(semaphore, 15) >= accepted + more);
    CHECK(bench.log.change(semaphore, 15) > bench.log.change(semaphore, 0));
  }
}

TEST_CASE("dma memory: no more is in flight than the windows allow", "[dma]") {
  const auto under_way = [](Kind kind, const model::MachineParams& m) {
    return in_child([&] {
      Traffic traffic;
      for (int n = 0; n < 6; ++n) traffic.add(kind, 128, 700, 0);
      for (int n = 0; n < 6; ++n) traffic.add(kind, 128, 16, 0);
      DmaBench bench(m, Answers::kAnyTime);
      for (const auto& item : traffic.items) bench.ring(item.request);
      bench.run();
      const Most most = most_under_way(bench.near.accesses, kind == Kind::kStore, m.chip.noc.request,
                                       kind == Kind::kStore ? Duration{0} : m.chip.noc.response);
      return fmt::format("{} {}", most.bytes, most.accesses);
    });
  };
  for (const Kind kind : {Kind::kLoad, Kind::kStore}) {
    model::MachineParams m = machine();
    auto& bytes = kind == Kind::kLoad ? m.chip.core.dma.read_window : m.chip.core.dma.write_window;
    auto& packets = kind == Kind::kLoad ? m.chip.core.dma.read_packets : m.chip.core.dma.write_packets;
    bytes = 1_B;
    CHECK(under_way(kind, m) == "0 0");
    bytes = 16_MiB;
    packets = 2;
    CHECK(under_way(kind, m).substr(under_way(kind, m).find(' ')) == " 1");
    packets = 64;
    bytes = 5000_B;  // packets of 2800 and of 512 bytes
    CHECK(std::stod(under_way(kind, m)) < 5000);
    CHECK(std::stod(under_way(kind, m)) > 5000 - 512);
  }
}

TEST_CASE("dma memory: a landed write raises its semaphore when the memory has it", "[dma][link]") {
  const auto raised = [](Answers answers) {
    return in_child([&] {
      DmaBench bench(machine(), answers);
      for (std::uint8_t n = 0; n < 8; ++n) bench.land(std::uint64_t{n} << 12, 4096, n);
      bench.run();
      std::string text;
      for (std::uint8_t n = 0; n < 8; ++n)
        text += fmt::format("{} {} ", bench.log.change(n, 0).fs, bench.near.accesses.at(n).last.fs);
      return fmt::format("{}{}", text, bench.pool.in_use());
    });
  };
  const std::string at_once = raised(Answers::kAtOnce);
  CHECK(raised(Answers::kAnyTime) == at_once);
  std::istringstream numbers(at_once);
  for (int n = 0; n < 8; ++n) {
    std::int64_t visible = 0, accepted = 0;
    numbers >> visible >> accepted;
    CHECK(visible == accepted);
  }
  int left = -1;
  numbers >> left;
  CHECK(left == 0);
}
