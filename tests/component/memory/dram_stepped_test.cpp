// SPDX-License-Identifier: Apache-2.0
// The stepped DRAM channel alone: small cases computed by hand, and random traffic that breaks no rule.
#include <catch2/catch.hpp>

#include "tests/support/random/random_dram.h"
#include "tests/support/reference/dram_rules.h"
#include "tests/support/reference/dram_service.h"
#include "tests/support/reference/stepped_channel.h"

using namespace tahoma;
using namespace tahoma::tests;

namespace {

using dram::Segment;

// HBM3 without refresh: tRCDRD 62, tRCDWR 30, tRP 52, tRAS 90, CL 40, CWL 20, burst 4, tRTP 18.
DramSetup quiet() {
  DramSetup s = hbm3_setup();
  s.policy.refresh = dram::Refresh::kNone;
  return s;
}

std::vector<std::string> shown(const std::vector<Command>& log) {
  std::vector<std::string> lines;
  for (const Command& c : log) lines.push_back(text(c));
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("stepped DRAM channel: a read opens its row and follows at its next slot", "[dram]") {
  const auto s = serve<SteppedChannel>(quiet(), {{false, 0, 5, 7, 2, 3, 0}});
  // 3 + 62 = 65, the next slot is 68; the second access tCCDL = 8 later
  CHECK(shown(s.log) ==
        Lines{"3 ACT pseudo 0 bank 5 row 7", "68 RD pseudo 0 bank 5 row 7", "76 RD pseudo 0 bank 5 row 7"});
  CHECK(s.done[0].first == 68 + 40);
  CHECK(s.done[0].last == 76 + 40 + 4);
}

TEST_CASE("stepped DRAM channel: a hit goes before an older conflict, which then closes the row", "[dram]") {
  const std::vector<Segment> traffic{
      {false, 0, 0, 1, 1, 0, 0}, {false, 0, 0, 2, 1, 0, 1}, {false, 0, 0, 1, 1, 0, 2}};
  const auto s = serve<SteppedChannel>(quiet(), traffic);
  // reads at 64 and 72; 72 + tRTP = 90 and so is tRAS; 90 + 52 = 142 is before tRC = 144; 144 + 62 = 206
  CHECK(shown(s.log) == Lines{"0 ACT pseudo 0 bank 0 row 1", "64 RD pseudo 0 bank 0 row 1",
                              "72 RD pseudo 0 bank 0 row 1", "90 PRE pseudo 0 bank 0 row 0",
                              "144 ACT pseudo 0 bank 0 row 2", "208 RD pseudo 0 bank 0 row 2"});
}

TEST_CASE("stepped DRAM channel: writes wait for reads, unless too many do", "[dram]") {
  DramSetup setup = quiet();
  const std::vector<Segment> traffic{{true, 0, 0, 0, 4, 0, 0}, {false, 0, 8, 0, 4, 0, 1}};
  const auto first = [&] { return serve<SteppedChannel>(setup, traffic).log.front(); };
  CHECK(first().bank == 8);
  setup.policy.write_high = 3;
  CHECK(first().bank == 0);
  setup.policy.write_high = 4;
  CHECK(first().bank == 8);
}

TEST_CASE("stepped DRAM channel: an arbitrated bus has no slots, and one command each cycle", "[dram]") {
  DramSetup setup = quiet();
  setup.policy.column_bus = dram::ColumnBus::kArbitrated;
  setup.timing.column_slot = 2;
  // 3 + 62 = 65, the next cycle is 66, where a slot would begin at 68
  const auto alone = serve<SteppedChannel>(setup, {{false, 0, 5, 7, 1, 3, 0}});
  CHECK(shown(alone.log) == Lines{"3 ACT pseudo 0 bank 5 row 7", "66 RD pseudo 0 bank 5 row 7"});
  // Both rows are open from 3 + 62 on: the older one goes first, the other pseudo-channel one cycle later.
  const std::vector<Segment> both{{false, 1, 0, 1, 1, 0, 0},
                                  {false, 0, 0, 1, 1, 0, 1},
                                  {false, 1, 0, 1, 1, 200, 2},
                                  {false, 0, 0, 1, 1, 200, 3}};
  const auto s = serve<SteppedChannel>(setup, both);
  CHECK(shown(s.log) == Lines{"0 ACT pseudo 1 bank 0 row 1", "3 ACT pseudo 0 bank 0 row 1",
                              "62 RD pseudo 1 bank 0 row 1", "66 RD pseudo 0 bank 0 row 1",
                              "200 RD pseudo 1 bank 0 row 1", "202 RD pseudo 0 bank 0 row 1"});
}

TEST_CASE(
    "stepped DRAM channel: a request that left its queue with its activate releases its space and goes first",
    "[dram]") {
  DramSetup setup = quiet();
  setup.policy.queue_exit = dram::QueueExit::kActivate;
  setup.policy.read_queue = 1;
  // The activate at 0 releases the space for the next tick; the second read, to another group, enters at 1.
  const auto reads = serve<SteppedChannel>(setup, {{false, 0, 0, 1, 1, 0, 0}, {false, 0, 4, 1, 1, 0, 1}});
  CHECK(shown(reads.log) == Lines{"0 ACT pseudo 0 bank 0 row 1", "8 ACT pseudo 0 bank 4 row 1",
                                  "64 RD pseudo 0 bank 0 row 1", "72 RD pseudo 0 bank 4 row 1"});
  // A write that is held goes in read mode; the bank keeps its row until then, although a read needs another
  // one.
  setup.policy.read_queue = 8;
  const auto mixed = serve<SteppedChannel>(setup, {{true, 0, 0, 1, 1, 0, 0}, {false, 0, 0, 2, 1, 1, 1}});
  // write at 30 -> 32; its data end at 32 + 20 + 4, and tWR 66 later the row is closed: 122; 122 + 52 = 174,
  // 174 + 62 = 236
  CHECK(shown(mixed.log) == Lines{"0 ACT pseudo 0 bank 0 row 1", "32 WR pseudo 0 bank 0 row 1",
                                  "122 PRE pseudo 0 bank 0 row 0", "174 ACT pseudo 0 bank 0 row 2",
                                  "236 RD pseudo 0 bank 0 row 2"});
}

TEST_CASE("stepped DRAM channel: a queue takes a segment once all of it fits", "[dram]") {
  DramSetup setup = quiet();
  setup.policy.write_queue = 5;
  const auto s = serve<SteppedChannel>(setup, {{true, 0, 0, 0, 4, 0, 0}, {true, 0, 0, 0, 2, 0, 1}});
  CHECK(s.done[0].first == 0);
  // ACT 0, writes at 32, 40, 48, 56: space from 57 on
  CHECK(s.done[1].first == 57);
}

TEST_CASE("stepped DRAM channel: an idle row is closed at once, after its timeout or never", "[dram]") {
  DramSetup setup = quiet();
  const auto closed_at = [&] {
    BusLog log;
    SteppedChannel channel(setup.organisation, setup.timing, setup.policy, &log);
    channel.submit({false, 1, 3, 9, 1, 0, 0});
    channel.advance(1000);
    const auto sorted = log.sorted();
    return sorted.size() < 3 ? 0 : sorted[2].at;
  };
  CHECK(closed_at() == 0);
  setup.policy.page = dram::PagePolicy::kClosed;  // the read goes at 62
  CHECK(closed_at() == 90);                       // tRAS
  setup.policy.page = dram::PagePolicy::kTimeout;
  setup.policy.page_timeout = 100;
  CHECK(closed_at() == 62 + 100);
}

TEST_CASE("stepped DRAM channel: a refresh of all banks closes a stack ID by one command", "[dram]") {
  DramSetup setup = hbm3_setup();
  setup.organisation.pseudo_channels = 1;
  setup.policy.refresh = dram::Refresh::kAllBank;
  BusLog log;
  SteppedChannel channel(setup.organisation, setup.timing, setup.policy, &log);
  const Tick refi = setup.timing.refi;
  channel.submit({false, 0, 18, 9, 1, refi - 80, 0});
  channel.submit({false, 0, 18, 9, 1, refi, 1});
  channel.advance(refi + 2500);
  // Stack ID 0 is closed. Stack ID 1: tRAS after its activate at refi - 80, then tRP, then the waiting read.
  CHECK(shown(log.sorted()) == Lines{"12400 ACT pseudo 0 bank 18 row 9", "12464 RD pseudo 0 bank 18 row 9",
                                     "12480 REFA pseudo 0 bank 0 row 0", "12490 PREA pseudo 0 bank 16 row 0",
                                     "12544 REFA pseudo 0 bank 16 row 0", "13664 ACT pseudo 0 bank 18 row 9",
                                     "13728 RD pseudo 0 bank 18 row 9"});
}

TEST_CASE("stepped DRAM channel: random traffic breaks no rule and is served once", "[dram]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    DramGenerator random(seed);
    const DramSetup setup = random.setup();
    const auto traffic = random.traffic(setup, 60);
    const Service s = serve<SteppedChannel>(setup, traffic);
    INFO("seed " << seed);
    for (const Finding& f : broken_rules(s.log, setup, {s.end, setup.timing.refi})) FAIL_CHECK(f.text());
    for (const std::string& wrong : complaints(setup, traffic, s)) FAIL_CHECK(wrong);
  }
  SUCCEED();
}

TEST_CASE("DRAM judges: random traffic shows every timing that a channel takes too short", "[dram]") {
  struct Shortened {
    const char* rule;
    Tick dram::Timing::*timing;
  };
  using T = dram::Timing;
  constexpr Shortened kTimings[] = {{"tRCDRD", &T::rcd_read},
                                    {"tRCDWR", &T::rcd_write},
                                    {"tRP", &T::rp},
                                    {"tRAS", &T::ras},
                                    {"tRC", &T::rc},
                                    {"tWR", &T::wr},
                                    {"tRTP", &T::rtp},
                                    {"tCCDS", &T::ccd_short},
                                    {"tCCDL", &T::ccd_long},
                                    {"tCCDR", &T::ccd_stack},
                                    {"tCCDR of writes", &T::ccd_stack_write},
                                    {"tRRDS", &T::rrd_short},
                                    {"tRRDL", &T::rrd_long},
                                    {"tFAW", &T::faw},
                                    {"tWTRS", &T::wtr_short},
                                    {"tWTRL", &T::wtr_long},
                                    {"tRTW", &T::rtw},
                                    {"tRFCab", &T::rfc_all},
                                    {"tRFCpb", &T::rfc_bank},
                                    {"tRREFD", &T::rrefd},
                                    {"tPPD", &T::ppd},
                                    {"row bus", &T::activate_on_bus}};
  for (const Shortened& s : kTimings) {
    bool caught = false;
    for (std::uint64_t seed = 1; seed <= 60 && !caught; ++seed) {
      DramGenerator random(seed);
      const DramSetup setup = random.setup();
      const auto traffic = random.traffic(setup, 60);
      DramSetup hasty = setup;
      hasty.timing.*s.timing -= std::min<Tick>(hasty.timing.*s.timing, 2);
      const Service service = serve<SteppedChannel>(hasty, traffic);
      for (const Finding& f : broken_rules(service.log, setup, {service.end, setup.timing.refi}))
        caught |= f.rule == s.rule;
    }
    INFO(s.rule);
    CHECK(caught);
  }
}
