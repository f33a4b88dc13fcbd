// SPDX-License-Identifier: Apache-2.0
// Closed-form bounds of a DRAM channel. Timings are those of HBM3 at 6.4 Gb/s in
// ticks of half a command cycle: tRCDRD 62, tRCDWR 30, tRP 52, tRAS 90, tRC 144, CL 40, CWL 20, burst 4, tRTP
// 18, tCCDL 8, tFAW 48, tRTW 40, tWTRS 14, tWTRL 20, tRFCab 1120, tRFCpb 640, tREFI 12480.
#include <catch2/catch.hpp>
#include <optional>

#include "tests/support/bench/dram_bench.h"

using namespace tahoma;
using namespace tahoma::tests;

namespace {

// Reads of open rows, in banks 0 to 15 of different groups in turn.
std::vector<Segment> hits(std::uint32_t count, std::uint32_t accesses) {
  return all_at_once(count, [=](std::uint32_t n) {
    return Segment{false, 0, bank_of(n % 4, n / 4 % 4), 0, accesses, 0, 0};
  });
}

// Reads and writes in turn, to open rows.
struct Turning {
  std::uint32_t read_groups[2], write_groups[2];
  Tick spacing;  // between column commands: tCCDS between groups, tCCDL within one
  Tick back;     // from the last write to the first read
};
constexpr Tick kInBlock = 16;

// A block's reads arrive while the previous writes are issued, its writes while the reads are.
std::vector<Segment> turning_blocks(const Turning& t, Tick blocks, Tick period) {
  std::vector<Segment> traffic;
  for (Tick n = 0; n < 2 * blocks * kInBlock; ++n) {
    const Tick block = n / kInBlock / 2;
    const bool write = n / kInBlock % 2 != 0;
    const std::uint32_t turn = n % 2 == 0 ? 0 : 1;
    const std::uint8_t bank = bank_of(write ? t.write_groups[turn] : t.read_groups[turn], turn);
    traffic.push_back(
        {write, 0, bank, 0, 1, block * period + (write ? 30 : 0), static_cast<std::uint32_t>(n)});
  }
  return traffic;
}

// Distances of consecutive column commands of which the first is a `from` and the second is not.
std::vector<Tick> turns(const std::vector<Command>& log, CommandKind from) {
  std::vector<Tick> distances;
  std::optional<Command> before;
  for (const Command& c : log) {
    if (!is_column(c.kind)) continue;
    if (before && before->kind == from && c.kind != from) distances.push_back(c.at - before->at);
    before = c;
  }
  return distances;
}

}  // namespace

TEST_CASE("DRAM law: an unloaded read takes tRCDRD + CL to its first data", "[dram]") {
  const DramSetup s = one_pseudo_channel();
  const auto r = run_channel(s, {{false, 0, 0, 0, 1, 1002, 0}});
  CHECK(r.service.done[0].first == 1002 + 62 + 40);
  CHECK(r.service.done[0].last == 1002 + 62 + 40 + 4);
}

TEST_CASE("DRAM law: an unloaded hit takes CL, an unloaded conflict tRP + tRCDRD + CL", "[dram]") {
  const DramSetup s = one_pseudo_channel();
  const auto r =
      run_channel(s, {{false, 0, 0, 0, 1, 2, 0}, {false, 0, 0, 0, 1, 1000, 1}, {false, 0, 0, 1, 1, 2002, 2}});
  CHECK(r.service.done[1].first == 1000 + 40);
  CHECK(r.service.done[2].first == 2002 + 52 + 62 + 40);
}

TEST_CASE("DRAM law: open rows of several groups reach a burst after the other", "[dram]") {
  // 16384 accesses x burst 4, in each pseudo-channel separately
  DramSetup s = one_pseudo_channel();
  const auto one = run_channel(s, hits(4096, 4));
  CHECK(one.ticks == within_a_percent_of(16384 * 4));
  CHECK(static_cast<double>(one.tally.data) == 16384 * 4);
  s.organisation.pseudo_channels = 2;
  const auto two = run_channel(
      s, all_at_once(8192, [](std::uint32_t n) {
        return Segment{false, static_cast<std::uint8_t>(n % 2), bank_of(n / 2 % 4, n / 8 % 4), 0, 4};
      }));
  CHECK(two.ticks == within_a_percent_of(16384 * 4));
}

TEST_CASE("DRAM law: one bank group reaches an access each tCCDL", "[dram]") {
  const auto traffic = all_at_once(2048, [](std::uint32_t n) {
    return Segment{false, 0, bank_of(1, n % 4), 0, 4};
  });
  CHECK(run_channel(one_pseudo_channel(), traffic).ticks == within_a_percent_of(8192 * 8));
}

TEST_CASE("DRAM law: refresh of all banks takes tRTP + tRP + tRFCab + tRCDRD of each tREFI", "[dram]") {
  DramSetup s = one_pseudo_channel();
  s.policy.refresh = dram::Refresh::kAllBank;
  const double lost = 18 + 52 + 1120 + 62;
  const auto r = run_channel(s, hits(16384, 4));
  CHECK(r.ticks == within_a_percent_of(65536 * 4 / (1 - lost / 12480)));
  // Opening the rows again takes the bank's time.
  CHECK(r.tally.refreshes == static_cast<std::uint64_t>(r.ticks / 12480));
  CHECK(static_cast<double>(r.tally.refresh) ==
        within_a_percent_of(static_cast<double>(r.tally.refreshes) * (18 + 52 + 1120)));
}

TEST_CASE("DRAM law: refresh bank by bank is free where other banks have work", "[dram]") {
  DramSetup s = one_pseudo_channel();
  s.policy.refresh = dram::Refresh::kPerBank;
  CHECK(run_channel(s, hits(65536, 1)).ticks == within_a_percent_of(65536 * 4));
}

TEST_CASE("DRAM law: refresh of its bank takes tRTP + tRP + tRFCpb + tRCDRD of each tREFI of one bank",
          "[dram]") {
  DramSetup s = one_pseudo_channel();
  s.policy.refresh = dram::Refresh::kPerBank;
  const auto traffic = all_at_once(8192, [](std::uint32_t) { return Segment{false, 0, 5, 0, 4}; });
  const double lost = 18 + 52 + 640 + 62;
  CHECK(run_channel(s, traffic).ticks == within_a_percent_of(32768 * 8 / (1 - lost / 12480)));
}

TEST_CASE("DRAM law: rows of one bank follow each other by tRC", "[dram]") {
  const auto traffic = all_at_once(1000, [](std::uint32_t n) { return Segment{false, 0, 3, n, 1}; });
  const auto r = run_channel(one_pseudo_channel(), traffic);
  CHECK(r.ticks == within_a_percent_of(1000 * 144));
  CHECK(r.tally.activates == 1000);
  CHECK(r.tally.precharges == 999);
  CHECK(static_cast<double>(r.tally.bank) == within_a_percent_of(1000 * (144 - 4)));
}

TEST_CASE("DRAM law: activates come four in a window of tFAW", "[dram]") {
  const auto traffic = all_at_once(4000, [](std::uint32_t n) {
    return Segment{false, 0, bank_of(n % 4, n / 4 % 4), n / 16, 1};
  });
  const auto r = run_channel(one_pseudo_channel(), traffic);
  CHECK(r.ticks == within_a_percent_of(4000.0 / 4 * 48));
  CHECK(r.tally.activates == 4000);
}

TEST_CASE("DRAM law: a read-to-write turnaround costs tRTW, the reverse CWL + burst + tWTR", "[dram]") {
  // To other groups 20 + 4 + 14, within a group 20 + 4 + 20; in slots of 4.
  for (const Turning& t : {Turning{{0, 1}, {2, 3}, 4, 40}, Turning{{0, 0}, {0, 0}, 8, 44}}) {
    constexpr Tick kBlocks = 500;
    const Tick period = 2 * (kInBlock - 1) * t.spacing + 40 + t.back;
    const auto r = run_channel(one_pseudo_channel(), turning_blocks(t, kBlocks, period));
    CHECK(r.ticks == within_a_percent_of(static_cast<double>(kBlocks * period)));
    // The first blocks wait for their rows and may be served together.
    const auto there = turns(r.service.log, CommandKind::kRead),
               back = turns(r.service.log, CommandKind::kWrite);
    CHECK(std::count(there.begin(), there.end(), 40) > kBlocks - 10);
    CHECK(std::count(back.begin(), back.end(), t.back) > kBlocks - 10);
    // On the pins: the distances of commands minus their own data; the latencies cancel.
    CHECK(static_cast<double>(r.tally.turnaround) ==
          within_a_percent_of(static_cast<double>(kBlocks * (40 + t.back - Tick{2} * 4))));
  }
}

TEST_CASE("DRAM law: a read after a write to its own bank waits CWL + burst + tWTRL", "[dram]") {
  const DramSetup s = one_pseudo_channel();
  const auto r = run_channel(s, {{true, 0, 0, 0, 1, 1002, 0}, {false, 0, 0, 0, 1, 1032, 1}});
  // The write is issued at 1002 + 30, when no read is queued yet.
  CHECK(turns(r.service.log, CommandKind::kWrite) == std::vector<Tick>{20 + 4 + 20});
}
