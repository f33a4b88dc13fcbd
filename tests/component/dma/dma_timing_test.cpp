// SPDX-License-Identifier: Apache-2.0
// The timing laws of the DMA compared with silicon (device profiles, kernels.csv) and closed forms.
#include "model/engine/dma/dma_timing.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "model/engine/ports/increment_port.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using base::Duration, base::Time;
using isa::Queue, isa::Space;
using model::PacketShape;

namespace {

const model::DmaParams& dma_params() {
  static const model::MachineParams machine = tests::default_machine();
  return machine.chip.core.dma;
}

// A packet of whole elements of `joined` rows each.
PacketShape packet(std::uint32_t rows, std::uint32_t row_bytes, std::uint8_t joined = 1) {
  PacketShape p;
  p.rows = rows;
  p.row_bytes = row_bytes;
  p.joined = joined;
  p.starts = (rows + joined - 1) / joined;
  return p;
}

double packet_ns(const PacketShape& p) { return model::packet_time(p, dma_params()).ns(); }

PacketShape with_semaphore(PacketShape p) {
  p.semaphore = true;
  return p;
}

// Cycles of the DMA clock, 0.85 GHz.
double dma_cycles(double n) { return n / 0.85; }

constexpr double kMargin = 0.01;  // for figures with two digits

}  // namespace

TEST_CASE("dma packet: a single element in its packet takes the time of silicon", "[dma][timing]") {
  CHECK(packet_ns(packet(1, 4000)) == Approx(151.76).margin(kMargin));
  CHECK(packet_ns(packet(1, 2304)) == Approx(89.41).margin(kMargin));
  CHECK(packet_ns(packet(1, 4608)) == Approx(174.12).margin(kMargin));
  CHECK(packet_ns(packet(4, 1024, 4)) == Approx(155.29).margin(kMargin));
  CHECK(packet_ns(packet(4, 2048, 4)) == Approx(305.88).margin(kMargin));
  CHECK(packet_ns(packet(4, 8000, 4)) == Approx(1181.17).margin(kMargin));
}

TEST_CASE("dma packet: short elements follow each other as on silicon", "[dma][timing]") {
  CHECK(packet_ns(packet(8, 256)) - packet_ns(packet(7, 256)) == Approx(12.94).margin(kMargin));
  CHECK(packet_ns(packet(2, 1680)) - packet_ns(packet(1, 1680)) ==
        Approx(65.88).margin(kMargin));  // paces a cast to 840 B
  CHECK(packet_ns(packet(8, 512)) - packet_ns(packet(7, 512)) ==
        Approx(21.18).margin(1.2));  // one cycle more
  CHECK(packet_ns(packet(8, 256)) == Approx(dma_cycles(8 * (8 + 3) + 1)));
}

TEST_CASE("dma packet: a part of an element has no overhead", "[dma][timing]") {
  PacketShape part = packet(1, 4096);
  part.starts = 0;
  CHECK(packet_ns(part) == Approx(dma_cycles(128)));
  CHECK(packet_ns(packet(2, 2048, 4)) + packet_ns(part) == Approx(packet_ns(packet(4, 2048, 4))));
}

TEST_CASE("dma packet: rows left over make a shorter element of their own", "[dma][timing]") {
  CHECK(packet_ns(packet(7, 100, 4)) ==
        Approx(dma_cycles(13 + 10 + 2 * 3 + 1)));  // ceil(400 / 32), ceil(300 / 32)
}

TEST_CASE("dma packet: a semaphore is part of a single element and an element behind several",
          "[dma][timing]") {
  CHECK(packet_ns(with_semaphore(packet(1, 2304))) == Approx(90.59).margin(kMargin));
  CHECK(packet_ns(with_semaphore(packet(1, 4000))) == Approx(152.94).margin(kMargin));
  CHECK(packet_ns(with_semaphore(packet(4, 2048, 4))) == Approx(307.06).margin(kMargin));
  CHECK(packet_ns(with_semaphore(packet(1, 16))) == Approx(5.88).margin(kMargin));
  CHECK(packet_ns(with_semaphore(packet(1, 32))) == Approx(7.06).margin(kMargin));
  CHECK(packet_ns(with_semaphore(packet(8, 256))) - packet_ns(packet(8, 256)) ==
        Approx(3.53).margin(kMargin));
  PacketShape alone;
  alone.rows = 0;
  CHECK(packet_ns(alone) == Approx(3.53).margin(kMargin));
}

TEST_CASE("dma packet: tiny DRAM-to-DRAM elements cost 94 ns each, up to one HBM access", "[dma][timing]") {
  PacketShape p = packet(64, 2);
  p.dram_to_dram = true;
  CHECK(packet_ns(p) == Approx(64 * 94.0));
  p.row_bytes = 63;
  CHECK(packet_ns(p) == Approx(64 * 94.0));
  p.row_bytes = 64;
  CHECK(packet_ns(p) == Approx(dma_cycles(64 * (2 + 3) + 1)));
}

TEST_CASE("dma packet: accumulation reads both operands", "[dma][timing]") {
  PacketShape sum = packet(1, 4096);
  sum.accumulate = true;
  CHECK(packet_ns(sum) == Approx(dma_cycles(2 * 128 + 3 + 1)));
}

TEST_CASE("dma packet: every source of a sum takes its bytes and its overhead", "[dma][timing]") {
  for (std::uint8_t sources = 1; sources <= 16; ++sources) {
    PacketShape p = packet(3, 1000);
    p.sources = sources;
    CHECK(packet_ns(p) == Approx(dma_cycles(3 * sources * (32 + 3) + 1)));  // ceil(1000 / 32) = 32
  }
}

TEST_CASE("dma packet: a transposition reaches nine tenths or a half of the throughput", "[dma][timing]") {
  PacketShape turned = packet(16, 256);
  REQUIRE(packet_ns(turned) == Approx(dma_cycles(177)));
  turned.throughput_percent = static_cast<std::uint8_t>(dma_params().transpose_from_hbm);
  CHECK(packet_ns(turned) == Approx(dma_cycles(197)));  // 177 / 0.9, rounded up
  turned.throughput_percent = static_cast<std::uint8_t>(dma_params().transpose_on_chip);
  CHECK(packet_ns(turned) == Approx(dma_cycles(354)));
}

TEST_CASE("dma doorbell: each queue takes its own time, the first one more", "[dma][timing]") {
  const auto bell = [](Queue queue, bool first = false) { return doorbell_time(queue, first, dma_params()); };
  CHECK(bell(Queue::kSync).instruction == 58.33_ns);
  CHECK(bell(Queue::kSync).pitch == 82.5_ns);
  CHECK(bell(Queue::kSync, true).instruction == 90_ns);
  CHECK(bell(Queue::kSync, true).pitch - bell(Queue::kSync).pitch == 31.67_ns);
  CHECK(bell(Queue::kGpSimd).instruction == 25.83_ns);
  CHECK(bell(Queue::kGpSimd).pitch == 61.67_ns);
  CHECK(bell(Queue::kGpSimd, true).instruction == 57.5_ns);
  for (const Queue queue : {Queue::kScalar, Queue::kTensor, Queue::kVector}) {
    CHECK(bell(queue).instruction == 25_ns);
    CHECK(bell(queue).pitch == 77.5_ns);
  }
  CHECK(bell(Queue::kCc0).instruction == bell(Queue::kSync).instruction);
}

TEST_CASE("dma start: engines 0 to 7 start close together, 8 to 15 one after the other", "[dma][timing]") {
  CHECK(model::skew_of(0, dma_params()) == 0_ns);
  CHECK(model::skew_of(7, dma_params()).ns() == Approx(71.76).margin(0.1));
  CHECK(model::skew_of(8, dma_params()) == 97_ns);
  CHECK(model::skew_of(15, dma_params()) == 202_ns);
  for (unsigned e = 1; e < 16; ++e)
    CHECK(model::skew_of(e, dma_params()) > model::skew_of(e - 1, dma_params()));
}

TEST_CASE("dma write: a latency after the read, by memory", "[dma][timing]") {
  CHECK(written_at({1000}, 0_ns, {0}, 0_ns, Space::kSbuf, dma_params()) - Time{1000} == 223.5_ns);
  CHECK(written_at({1000}, 0_ns, {0}, 0_ns, Space::kPsum, dma_params()) - Time{1000} == 223.5_ns);
  CHECK(written_at({1000}, 0_ns, {0}, 0_ns, Space::kHbm, dma_params()) - Time{1000} == 256.5_ns);
}

TEST_CASE("dma write: a memory's delay is added, also to a write before a semaphore", "[dma][timing]") {
  CHECK(written_at({1000}, 70_ns, {0}, 0_ns, Space::kHbm, dma_params()) - Time{1000} == 326.5_ns);
  CHECK(written_at({0}, 70_ns, Time{0} + 10_us, 5_ns, Space::kHbm, dma_params()) == Time{0} + 10_us + 5_ns);
}

TEST_CASE("dma write: delayed data drain at full width, as on silicon", "[dma][timing]") {
  const Time before = Time{0} + 10_us;
  for (const auto& [bytes, clocks] : {std::pair{256, 1}, {2304, 9}, {4000, 16}, {4096, 16}, {4608, 18}}) {
    const Duration drain = model::drain_time({static_cast<std::uint64_t>(bytes)}, dma_params());
    CHECK(drain.ns() == Approx(dma_cycles(clocks)));
    CHECK(written_at({0}, 0_ns, before, drain, Space::kSbuf, dma_params()) == before + drain);
  }
}

TEST_CASE("dma semaphore: written behind acknowledged data, visible before its own acknowledgement",
          "[dma][timing]") {
  const Time data = Time{0} + 1_us;
  CHECK(semaphore_written(data, dma_params()) - data == 195_ns);
  CHECK(semaphore_written(data, dma_params()) - semaphore_visible(data, dma_params()) == 94_ns);
  // silicon, read to visible: 337 ns into SBUF, 352 ns into HBM, at the median
  CHECK(completion(Space::kSbuf, dma_params()) == 324.5_ns);
  CHECK(completion(Space::kHbm, dma_params()) == 357.5_ns);
}

TEST_CASE("dma generation: software takes its time for every element", "[dma][timing]") {
  CHECK(model::generation_time(0, dma_params()) == 0_ns);
  CHECK(model::generation_time(128, dma_params()) == 1024_ns);
}

namespace {

struct Raised {
  std::uint8_t semaphore;
  Time when;
  friend bool operator==(const Raised&, const Raised&) = default;
};

// Returns the increments that settle at `now`.
std::vector<Raised> settled(model::IncrementPort& port, Time now) {
  std::vector<Raised> raised;
  port.settle(now, [&](const sim::Notify& n, Time when) { raised.push_back({n.semaphore, when}); });
  return raised;
}

sim::Notify notify(unsigned semaphore) { return {0, static_cast<std::uint8_t>(semaphore), 0, 1}; }

}  // namespace

TEST_CASE("increment port: increments of one semaphore keep their distance", "[dma][timing]") {
  model::IncrementPort port(dma_params().increment_spacing, 100_ns);
  for (int n = 0; n < 16; ++n) port.announce(notify(3), {1000 + n});
  const std::vector<Raised> raised = settled(port, Time{0});
  REQUIRE(raised.size() == 16);
  CHECK(raised.front().when == Time{1000});
  for (std::size_t n = 1; n < 16; ++n)
    CHECK((raised[n].when - raised[n - 1].when).ns() == Approx(12.5));  // silicon: 11.67 or 13.33
}

TEST_CASE("increment port: semaphores do not wait for each other", "[dma][timing]") {
  model::IncrementPort port(10_ns, 100_ns);
  for (const unsigned semaphore : {1U, 2U, 1U}) port.announce(notify(semaphore), 50_ns);
  CHECK(settled(port, Time{0}) == std::vector<Raised>{{1, 50_ns}, {1, 60_ns}, {2, 50_ns}});
}

TEST_CASE("increment port: a turn is settled when none can come before it, and in time", "[dma][timing]") {
  model::IncrementPort port(10_ns, 100_ns);
  CHECK(port.due() == base::kNever);
  port.announce(notify(1), 300_ns);
  CHECK(settled(port, 200_ns).empty());  // an increment at 300 ns may still be announced
  port.announce(notify(1), 301_ns);
  port.announce(notify(1), 295_ns);
  CHECK(port.due() == 245_ns);
  CHECK(settled(port, port.due()) == std::vector<Raised>{{1, 295_ns}, {1, 305_ns}, {1, 315_ns}});
}

TEST_CASE("increment port: the order of announcement does not matter", "[dma][timing]") {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Raised> asked;
    for (int n = 0; n < 60; ++n)
      asked.push_back({static_cast<std::uint8_t>(random() % 3),
                       Duration{static_cast<std::int64_t>(100 + random() % 400) * 1'000'000}});
    std::vector<Raised> before;
    for (int order = 0; order < 3; ++order) {
      std::shuffle(asked.begin(), asked.end(), random);
      model::IncrementPort port(10_ns, 100_ns);
      std::vector<Raised> raised, left = asked;
      // Each increment is announced 100 to 200 ns ahead, some of them together.
      for (Time now{0}; now <= 600_ns;
           now += Duration{static_cast<std::int64_t>(1 + random() % 100) * 1'000'000}) {
        std::erase_if(left, [&](const Raised& r) {
          if (r.when > now + 200_ns) return false;
          port.announce(notify(r.semaphore), r.when);
          return true;
        });
        for (const Raised& r : settled(port, now)) raised.push_back(r);
      }
      CHECK(raised.size() == 60);
      if (order > 0) CHECK(raised == before);
      before = raised;
    }
  }
}
