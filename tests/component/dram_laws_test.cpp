// SPDX-License-Identifier: Apache-2.0
// What a DRAM channel must reach or cannot exceed, in closed form. Timings are those of HBM3 at 6.4 Gb/s in
// ticks of half a command cycle: tRCDRD 62, tRCDWR 30, tRP 52, tRAS 90, tRC 144, CL 40, CWL 20, burst 4, tRTP
// 18, tCCDL 8, tFAW 48, tRTW 40, tWTRS 14, tWTRL 20, tRFCab 1120, tRFCpb 640, tREFI 12480.
#include <catch2/catch.hpp>
#include <optional>
#include <set>

#include "tests/support/dram_service.h"
#include "tests/support/random_dram.h"

using namespace tahoma;
using namespace tahoma::tests;

namespace {

using dram::Channel, dram::Segment;

// One pseudo-channel and one stack ID of 4 groups x 4 banks, no refresh, deep queues.
DramSetup one_pseudo_channel() {
  DramSetup s = hbm3_setup();
  s.organisation.pseudo_channels = s.organisation.stack_ids = 1;
  s.policy.refresh = dram::Refresh::kNone;
  s.policy.read_queue = 1024;
  s.policy.write_queue = 1024;
  s.policy.write_high = 1023;
  s.policy.write_low = 0;
  return s;
}

std::uint8_t bank_of(std::uint32_t group, std::uint32_t bank) {
  return static_cast<std::uint8_t>(4 * group + bank);
}

// `count` segments that are there from the start, the n-th from `make`.
template <class Make>
std::vector<Segment> all_at_once(std::uint32_t count, Make make) {
  std::vector<Segment> segments;
  for (std::uint32_t n = 0; n < count; ++n) {
    Segment s = make(n);
    s.tag = n;
    segments.push_back(s);
  }
  return segments;
}

// Reads of rows that stay open, in banks 0 to 15 of different groups in turn.
std::vector<Segment> hits(std::uint32_t count, std::uint32_t accesses) {
  return all_at_once(count, [=](std::uint32_t n) {
    return Segment{false, 0, bank_of(n % 4, n / 4 % 4), 0, accesses, 0, 0};
  });
}

struct Run {
  Service service;
  dram::Tally tally;
  double ticks;  // until the last data
};

Run run(const DramSetup& setup, const std::vector<Segment>& traffic) {
  BusLog log;
  Channel channel(setup.organisation, setup.timing, setup.policy, &log);
  const Service service = serve(channel, log, traffic);
  CHECK(complaints(setup, traffic, service).empty());
  return {service, channel.tally(), static_cast<double>(last_data(setup, service))};
}

Approx percent_of(double value) { return Approx(value).epsilon(0.01); }

double sum_of(const dram::Tally& t) {
  return static_cast<double>(t.data + t.refresh + t.turnaround + t.bank);
}

// Reads and writes in turn, to open rows.
struct Turning {
  std::uint32_t read_groups[2], write_groups[2];
  Tick spacing;  // of column commands: tCCDS between groups, tCCDL in one
  Tick back;     // last write to first read
};
constexpr std::uint32_t kInBlock = 16;

// A block's reads arrive while the writes before are issued, its writes while the reads are.
std::vector<Segment> turning_blocks(const Turning& t, std::uint32_t blocks, Tick period) {
  std::vector<Segment> traffic;
  for (std::uint32_t n = 0; n < 2 * blocks * kInBlock; ++n) {
    const std::uint32_t block = n / kInBlock / 2, turn = n % 2;
    const bool write = n / kInBlock % 2 != 0;
    const std::uint8_t bank = bank_of(write ? t.write_groups[turn] : t.read_groups[turn], turn);
    traffic.push_back({write, 0, bank, 0, 1, block * period + (write ? 30 : 0), n});
  }
  return traffic;
}

// Distances of neighbouring column commands of which the first is a `from`, the second is not.
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

// Rows that were closed, by a command of their own or with all others of the stack ID.
std::uint64_t closings(const dram::Organisation& o, const std::vector<Command>& log) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> open;
  std::uint64_t closed = 0;
  for (const Command& c : log) {
    if (c.kind == CommandKind::kActivate) open.insert({c.pseudo, c.bank});
    if (c.kind == CommandKind::kPrecharge) closed += open.erase({c.pseudo, c.bank});
    if (c.kind != CommandKind::kPrechargeAll) continue;
    for (std::uint32_t n = 0; n < o.banks_per_stack_id(); ++n) closed += open.erase({c.pseudo, c.bank + n});
  }
  return closed;
}

}  // namespace

TEST_CASE("DRAM law: an unloaded read takes tRCDRD + CL to its first data", "[dram]") {
  const DramSetup s = one_pseudo_channel();
  const auto r = run(s, {{false, 0, 0, 0, 1, 1002, 0}});
  CHECK(r.service.done[0].first == 1002 + 62 + 40);
  CHECK(r.service.done[0].last == 1002 + 62 + 40 + 4);
}

TEST_CASE("DRAM law: an unloaded hit takes CL, an unloaded conflict tRP + tRCDRD + CL", "[dram]") {
  const DramSetup s = one_pseudo_channel();
  const auto r =
      run(s, {{false, 0, 0, 0, 1, 2, 0}, {false, 0, 0, 0, 1, 1000, 1}, {false, 0, 0, 1, 1, 2002, 2}});
  CHECK(r.service.done[1].first == 1000 + 40);
  CHECK(r.service.done[2].first == 2002 + 52 + 62 + 40);
}

TEST_CASE("DRAM law: open rows of several groups reach a burst after the other", "[dram]") {
  // 16384 accesses x burst 4, in each pseudo-channel of its own
  DramSetup s = one_pseudo_channel();
  const auto one = run(s, hits(4096, 4));
  CHECK(one.ticks == percent_of(16384 * 4));
  CHECK(static_cast<double>(one.tally.data) == 16384 * 4);
  s.organisation.pseudo_channels = 2;
  const auto two =
      run(s, all_at_once(8192, [](std::uint32_t n) {
            return Segment{false, static_cast<std::uint8_t>(n % 2), bank_of(n / 2 % 4, n / 8 % 4), 0, 4};
          }));
  CHECK(two.ticks == percent_of(16384 * 4));
}

TEST_CASE("DRAM law: one bank group reaches an access each tCCDL", "[dram]") {
  const auto traffic = all_at_once(2048, [](std::uint32_t n) {
    return Segment{false, 0, bank_of(1, n % 4), 0, 4};
  });
  CHECK(run(one_pseudo_channel(), traffic).ticks == percent_of(8192 * 8));
}

TEST_CASE("DRAM law: refresh of all banks takes tRTP + tRP + tRFCab + tRCDRD of each tREFI", "[dram]") {
  DramSetup s = one_pseudo_channel();
  s.policy.refresh = dram::Refresh::kAllBank;
  const double lost = 18 + 52 + 1120 + 62;
  const auto r = run(s, hits(16384, 4));
  CHECK(r.ticks == percent_of(65536 * 4 / (1 - lost / 12480)));
  // Opening the rows again is a bank's time.
  CHECK(r.tally.refreshes == static_cast<std::uint64_t>(r.ticks / 12480));
  CHECK(static_cast<double>(r.tally.refresh) ==
        percent_of(static_cast<double>(r.tally.refreshes) * (18 + 52 + 1120)));
}

TEST_CASE("DRAM law: refresh bank by bank is free where other banks have work", "[dram]") {
  DramSetup s = one_pseudo_channel();
  s.policy.refresh = dram::Refresh::kPerBank;
  CHECK(run(s, hits(65536, 1)).ticks == percent_of(65536 * 4));
}

TEST_CASE("DRAM law: refresh of its bank takes tRTP + tRP + tRFCpb + tRCDRD of each tREFI of one bank",
          "[dram]") {
  DramSetup s = one_pseudo_channel();
  s.policy.refresh = dram::Refresh::kPerBank;
  const auto traffic = all_at_once(8192, [](std::uint32_t) { return Segment{false, 0, 5, 0, 4}; });
  const double lost = 18 + 52 + 640 + 62;
  CHECK(run(s, traffic).ticks == percent_of(32768 * 8 / (1 - lost / 12480)));
}

TEST_CASE("DRAM law: rows of one bank follow each other by tRC", "[dram]") {
  const auto traffic = all_at_once(1000, [](std::uint32_t n) { return Segment{false, 0, 3, n, 1}; });
  const auto r = run(one_pseudo_channel(), traffic);
  CHECK(r.ticks == percent_of(1000 * 144));
  CHECK(r.tally.activates == 1000);
  CHECK(r.tally.precharges == 999);
  CHECK(static_cast<double>(r.tally.bank) == percent_of(1000 * (144 - 4)));
}

TEST_CASE("DRAM law: activates come four in a window of tFAW", "[dram]") {
  const auto traffic = all_at_once(4000, [](std::uint32_t n) {
    return Segment{false, 0, bank_of(n % 4, n / 4 % 4), n / 16, 1};
  });
  const auto r = run(one_pseudo_channel(), traffic);
  CHECK(r.ticks == percent_of(4000.0 / 4 * 48));
  CHECK(r.tally.activates == 4000);
}

TEST_CASE("DRAM law: a read-write turn costs tRTW, the way back CWL + burst + tWTR", "[dram]") {
  // To other groups 20 + 4 + 14, in the same 20 + 4 + 20; in slots of 4.
  for (const Turning& t : {Turning{{0, 1}, {2, 3}, 4, 40}, Turning{{0, 0}, {0, 0}, 8, 44}}) {
    constexpr std::uint32_t kBlocks = 500;
    const Tick period = 2 * (kInBlock - 1) * t.spacing + 40 + t.back;
    const auto r = run(one_pseudo_channel(), turning_blocks(t, kBlocks, period));
    CHECK(r.ticks == percent_of(static_cast<double>(kBlocks * period)));
    // The first blocks wait for their rows and may be served together.
    const auto there = turns(r.service.log, CommandKind::kRead),
               back = turns(r.service.log, CommandKind::kWrite);
    CHECK(std::count(there.begin(), there.end(), 40) > kBlocks - 10);
    CHECK(std::count(back.begin(), back.end(), t.back) > kBlocks - 10);
    // On the pins: the distances of commands less their own data, and the latencies cancel.
    CHECK(static_cast<double>(r.tally.turnaround) ==
          percent_of(static_cast<double>(kBlocks * (40 + t.back - 2 * 4))));
  }
}

TEST_CASE("DRAM law: a read after a write to its own bank waits CWL + burst + tWTRL", "[dram]") {
  const DramSetup s = one_pseudo_channel();
  const auto r = run(s, {{true, 0, 0, 0, 1, 1002, 0}, {false, 0, 0, 0, 1, 1032, 1}});
  // The write is issued at 1002 + 30, when no read is queued yet.
  CHECK(turns(r.service.log, CommandKind::kWrite) == std::vector<Tick>{20 + 4 + 20});
}

TEST_CASE("DRAM tally: hits, misses and conflicts are counted by access", "[dram]") {
  const auto r = run(one_pseudo_channel(), {{false, 0, 0, 0, 8, 0, 0},      // opens row 0: a miss, 7 hits
                                            {false, 0, 0, 0, 3, 1000, 1},   // 3 hits
                                            {false, 0, 0, 1, 4, 2000, 2},   // closes it: a conflict, 3 hits
                                            {false, 0, 1, 1, 1, 3000, 3},   // another bank: a miss
                                            {true, 0, 1, 1, 2, 4000, 4},    // 2 hits
                                            {true, 0, 1, 0, 2, 5000, 5}});  // a conflict, a hit
  CHECK(r.tally.row_misses == 2);
  CHECK(r.tally.row_conflicts == 2);
  CHECK(r.tally.row_hits == 16);
  CHECK(r.tally.read_accesses == 16);
  CHECK(r.tally.write_accesses == 4);
  CHECK(r.tally.activates == 4);
  CHECK(r.tally.precharges == 2);
}

TEST_CASE("DRAM tally: counts are those of the log, and named time is no more than there was", "[dram]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    DramGenerator random(seed);
    const DramSetup s = random.setup();
    const auto r = run(s, random.traffic(s, 60));
    const auto count = [&](CommandKind kind) {
      return static_cast<std::uint64_t>(std::count_if(r.service.log.begin(), r.service.log.end(),
                                                      [kind](const Command& c) { return c.kind == kind; }));
    };
    INFO("seed " << seed);
    CHECK(r.tally.read_accesses == count(CommandKind::kRead));
    CHECK(r.tally.write_accesses == count(CommandKind::kWrite));
    CHECK(r.tally.row_hits + r.tally.row_misses + r.tally.row_conflicts ==
          r.tally.read_accesses + r.tally.write_accesses);
    CHECK(r.tally.activates == count(CommandKind::kActivate));
    CHECK(r.tally.precharges == closings(s.organisation, r.service.log));
    CHECK(r.tally.refreshes == count(CommandKind::kRefreshBank) + count(CommandKind::kRefreshAll));
    const auto accesses = static_cast<Tick>(r.tally.read_accesses + r.tally.write_accesses);
    CHECK(r.tally.data == accesses * s.timing.burst);
    CHECK(r.tally.refresh >= 0);
    CHECK(r.tally.turnaround >= 0);
    CHECK(r.tally.bank >= 0);
    // The last data may lie beyond the time up to which the channel decided.
    const double whole = static_cast<double>(r.service.end + s.timing.cl + s.timing.burst);
    CHECK(sum_of(r.tally) <= whole * s.organisation.pseudo_channels);
  }
}

TEST_CASE("DRAM tally: where work always waits, data and lost time are the whole", "[dram]") {
  DramSetup s = one_pseudo_channel();
  s.policy.refresh = dram::Refresh::kAllBank;
  std::mt19937_64 random(7);
  const auto traffic = all_at_once(4000, [&](std::uint32_t) {
    return Segment{random() % 3 == 0, 0, static_cast<std::uint8_t>(random() % 16),
                   static_cast<std::uint32_t>(random() % 64), 1 + static_cast<std::uint32_t>(random() % 8)};
  });
  const auto r = run(s, traffic);
  CHECK(sum_of(r.tally) == percent_of(r.ticks));
  CHECK(r.tally.refresh > 0);
  CHECK(r.tally.turnaround > 0);
  CHECK(r.tally.bank > 0);
}

TEST_CASE("DRAM tally: a queue's share is its accesses times the ticks from entry to the last command",
          "[dram]") {
  // The read enters at 2, its activate goes at once; commands at 64, 72, 80, 88.
  const auto read = run(one_pseudo_channel(), {{false, 0, 0, 0, 4, 2, 0}});
  CHECK(static_cast<double>(read.tally.read_queue_ticks) == Approx(4 * (88 - 2)).margin(4));
  CHECK(read.tally.write_queue_ticks == 0);
  CHECK(read.tally.most_reads == 4);
  // tRCDWR 30: at 32 and 40
  const auto write = run(one_pseudo_channel(), {{true, 0, 0, 0, 2, 2, 0}});
  CHECK(static_cast<double>(write.tally.write_queue_ticks) == Approx(2 * (40 - 2)).margin(2));
  CHECK(write.tally.most_writes == 2);
}
