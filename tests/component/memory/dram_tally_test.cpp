// SPDX-License-Identifier: Apache-2.0
// Counts of a DRAM channel for known traffic; they match its log and add up.
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/bench/dram_bench.h"

using namespace tahoma;
using namespace tahoma::tests;

namespace {

double sum_of(const dram::Tally& t) {
  return static_cast<double>(t.data + t.refresh + t.turnaround + t.bank);
}

// Number of rows that were closed, individually or with all others of the stack ID.
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

TEST_CASE("DRAM tally: hits, misses and conflicts are counted by access", "[dram]") {
  const auto r =
      run_channel(one_pseudo_channel(), {{false, 0, 0, 0, 8, 0, 0},      // opens row 0: a miss, 7 hits
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

TEST_CASE("DRAM tally: counts are those of the log, and attributed time does not exceed the total",
          "[dram]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    DramGenerator random(seed);
    const DramSetup s = random.setup();
    const auto r = run_channel(s, random.traffic(s, 60));
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
    // The last data may be after the time up to which the channel has decided.
    const double whole = static_cast<double>(r.service.end + s.timing.cl + s.timing.burst);
    CHECK(sum_of(r.tally) <= whole * s.organisation.pseudo_channels);
  }
}

TEST_CASE("DRAM tally: if work always waits, data and lost time add up to the total", "[dram]") {
  DramSetup s = one_pseudo_channel();
  s.policy.refresh = dram::Refresh::kAllBank;
  std::mt19937_64 random(7);
  const auto traffic = all_at_once(4000, [&](std::uint32_t) {
    return Segment{random() % 3 == 0, 0, static_cast<std::uint8_t>(random() % 16),
                   static_cast<std::uint32_t>(random() % 64), 1 + static_cast<std::uint32_t>(random() % 8)};
  });
  const auto r = run_channel(s, traffic);
  CHECK(sum_of(r.tally) == within_a_percent_of(r.ticks));
  CHECK(r.tally.refresh > 0);
  CHECK(r.tally.turnaround > 0);
  CHECK(r.tally.bank > 0);
}

TEST_CASE("DRAM tally: a queue's share is its accesses times the ticks from entry to the last command",
          "[dram]") {
  // The read enters at 2, and its activate is issued at once; commands at 64, 72, 80, 88.
  const auto read = run_channel(one_pseudo_channel(), {{false, 0, 0, 0, 4, 2, 0}});
  CHECK(static_cast<double>(read.tally.read_queue_ticks) == Approx(4 * (88 - 2)).margin(4));
  CHECK(read.tally.write_queue_ticks == 0);
  CHECK(read.tally.most_reads == 4);
  // tRCDWR 30: at 32 and 40
  const auto write = run_channel(one_pseudo_channel(), {{true, 0, 0, 0, 2, 2, 0}});
  CHECK(static_cast<double>(write.tally.write_queue_ticks) == Approx(2 * (40 - 2)).margin(2));
  CHECK(write.tally.most_writes == 2);
}
