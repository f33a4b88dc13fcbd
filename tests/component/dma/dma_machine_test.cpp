// SPDX-License-Identifier: Apache-2.0
// Transfers on a machine, event by event, compared with silicon and closed forms.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/support/bench/recorded_activity.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::PacketActivity, base::Time;
using isa::Queue;

namespace {

ActivityLog run(const std::string& queues) {
  return activity_of(".program p\n.args a\n" + queues, flat_chip());
}

double ns(Time from, Time to) { return (to - from).ns(); }
double cycles(double n) { return n / 0.85; }

// Time from the doorbell's end to the start of an engine's first packet in a ring.
double start_of(const ActivityLog& log, Queue queue, std::size_t n, std::uint8_t ring,
                std::uint8_t engine = 0) {
  for (const PacketActivity& p : log.engines.at(engine))
    if (p.ring == ring) return ns(log.at(queue, n).complete, p.start);
  FAIL("no packet");
  return 0;
}

const std::string kStore = "dma_copy shape=128x420 dst=a:fp16 src=sbuf[0, 0x0]:fp16";
const std::string kLoad = "dma_copy shape=128x1000 dst=sbuf[0, 0x0]:fp32 src=a:fp32:(2000,0,0,1)";

}  // namespace

TEST_CASE("dma machine: an idle store starts and ends as on silicon", "[system]") {
  const ActivityLog log = run("gpsimd:\n  " + kStore + " update=s0+=1\n");
  CHECK(start_of(log, Queue::kGpSimd, 0, 0) == Approx(702.5));
  CHECK(start_of(log, Queue::kGpSimd, 0, 0, 15) == Approx(702.5 + 202));
  const auto& packets = log.engines.at(15);
  REQUIRE(packets.size() == 2);  // 4 rows per packet
  CHECK(packets[0].bytes == 3360);
  CHECK(ns(packets[0].start, packets[1].start) == Approx(cycles(105 + 4)));
  CHECK(ns(packets[0].start, packets[0].read_done) == Approx(cycles(105 + 4 + 3)));
  const double written = ns(packets[0].read_done, packets[0].write_done);  // silicon 229..278
  CHECK(written >= 256.5);
  CHECK(written <= 256.5 + 3360 / 725.0);  // delayed by at most one packet of another engine
  CHECK(ns(packets[1].read_done, log.change(0, 15)) == Approx(357.5));
}

TEST_CASE("dma machine: an engine's first load is late by the memory and by a cold read", "[system]") {
  const ActivityLog log = run("sync:\n  " + kLoad + " update=s0+=1\n");
  CHECK(start_of(log, Queue::kSync, 0, 0) == Approx(799).epsilon(0.01));  // silicon 794..830
  const auto& packets = log.engines.at(7);
  REQUIRE(packets.size() == 8);
  CHECK(ns(packets[0].start, packets[1].start) == Approx(cycles(129) + 826));
  CHECK(ns(packets[1].start, packets[2].start) == Approx(151.76).margin(0.01));
  CHECK(ns(packets[2].start, packets[2].read_done) == Approx(155.29).margin(0.01));
  CHECK(ns(packets[2].read_done, packets[2].write_done) == Approx(223.5));
}

TEST_CASE("dma machine: an element of several packets has one overhead", "[system]") {
  const ActivityLog log =
      run("sync:\n  dma_copy shape=128x2000 dst=a:fp32 src=sbuf[0, 0x0]:fp32\n");  // 4 rows of 8000 B
  const auto& packets = log.engines.at(3);
  REQUIRE(packets.size() == 16);
  CHECK(ns(packets[0].start, packets[8].start) == Approx(1181.17).margin(0.01));
}

TEST_CASE("dma machine: data behind a semaphore is acknowledged after it, at full width", "[system]") {
  const std::string row = "  dma_copy shape=16x64 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x800]:fp32";
  const ActivityLog log = run("sync:\n  dma_copy shape=128x2048 dst=a:fp32 src=sbuf[0, 0x0]:fp32\n" + row +
                              " update=s0+=1\n" + row + " update=s0+=1\n" + row + "\n");
  const auto& packets = log.engines.at(0);
  const std::size_t first = packets.size() - 3;
  CHECK(ns(packets[first].write_done, packets[first + 1].write_done) == Approx(195 + cycles(8)));
  CHECK(ns(packets[first + 1].write_done, packets[first + 2].write_done) == Approx(195 + cycles(8)));
}

TEST_CASE("dma machine: increments of one semaphore follow each other as on silicon", "[system]") {
  const ActivityLog log = run("gpsimd:\n  " + kStore + " update=s0+=1\n");
  for (std::size_t n = 1; n < 16; ++n) CHECK(ns(log.change(0, n - 1), log.change(0, n)) > 12.49);
  CHECK(ns(log.change(0, 0), log.change(0, 7)) == Approx(7 * 12.5));  // engines 0..7 are closer than that
}

TEST_CASE("dma generation: hardware takes one instruction of its queue after the other", "[system]") {
  const auto three = [](const char* dge) {
    const std::string bell = "  dma_copy shape=1x64 dst=a:fp16 src=sbuf[0, 0x0]:fp16 ring=",
                      more = std::string(" dge=") + dge + "\n";
    return "sync:\n" + bell + "0" + more + bell + "1" + more + "scalar:\n" + bell + "2" + more;
  };
  const auto starts = [&](const char* dge) {
    return in_child([&] {
      const ActivityLog log = run(three(dge));
      const Time rung = log.at(Queue::kSync, 0).complete;
      const double second = ns(rung, log.at(Queue::kSync, 1).complete) + start_of(log, Queue::kSync, 1, 1);
      return fmt::format("{:.1f} {:.1f} {:.1f} {:.2f}", start_of(log, Queue::kSync, 0, 0), second,
                         start_of(log, Queue::kScalar, 0, 2), ns(rung, log.at(Queue::kSync, 0).next));
    });
  };
  CHECK(starts("none") == "702.5 785.0 702.5 24.17");
  CHECK(starts("hw") == "1302.5 1902.5 1302.5 24.17");  // the queue continues meanwhile
}

TEST_CASE("dma generation: software occupies the GpSimd engine for every element", "[system]") {
  const auto spent = [](const std::string& transfer) {
    return std::stod(in_child([&] {
      const ActivityLog log = run("gpsimd:\n  " + transfer + "\n");
      return std::to_string(ns(log.at(Queue::kGpSimd, 0).start, log.at(Queue::kGpSimd, 0).complete));
    }));
  };
  const double plain = spent(kStore);
  CHECK(plain == Approx(57.5));
  CHECK(spent(kStore + " dge=sw") - plain == Approx(32 * 8).margin(0.001));  // four rows are one element
  CHECK(spent(kLoad + " dge=sw") - plain == Approx(128 * 8).margin(0.001));
}
