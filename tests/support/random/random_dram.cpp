// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random/random_dram.h"

namespace tahoma::tests {

DramSetup hbm3_setup() {
  const auto cycles = [](Tick n) { return 2 * n; };  // a tick is half a cycle
  DramSetup s;
  s.organisation = {1, 2, 2, 4, 4, 1 << 13, 32, 32};
  dram::Timing& t = s.timing;
  t.burst = cycles(2);
  t.cl = cycles(20);
  t.cwl = cycles(10);
  t.rcd_read = cycles(31);
  t.rcd_write = cycles(15);
  t.rp = cycles(26);
  t.ras = cycles(45);
  t.rc = cycles(72);
  t.wr = cycles(33);
  t.rtp = cycles(9);
  t.ccd_short = cycles(2);
  t.ccd_long = cycles(4);
  t.ccd_stack = cycles(3);
  t.ccd_stack_write = cycles(3);
  t.column_slot = t.ccd_short;
  t.rrd_short = cycles(4);
  t.rrd_long = cycles(5);
  t.faw = cycles(24);
  t.wtr_short = cycles(7);
  t.wtr_long = cycles(10);
  t.rtw = cycles(20);
  t.ppd = cycles(2);
  t.rfc_all = cycles(560);
  t.rfc_bank = cycles(320);
  t.rrefd = cycles(8);
  t.refi = cycles(6240);
  return s;
}

dram::Organisation DramGenerator::organisation() {
  dram::Organisation o;
  o.pseudo_channels = static_cast<std::uint32_t>(between(1, 2));
  o.stack_ids = static_cast<std::uint32_t>(between(1, 4));
  o.groups = 1U << below(3);
  o.banks = 1U << below(3);
  o.rows = 1024;
  o.columns = 32;
  return o;
}

dram::Timing DramGenerator::timing(const dram::Organisation& o) {
  dram::Timing t;
  const Tick grain = chance(75) ? 2 : 1;  // parts have timings in cycles, the channel in ticks
  const auto pick = [&](Tick low, Tick high) { return between(low, high) * grain; };
  t.burst = 4;
  t.ccd_short = chance(20) ? 8 : 4;
  t.column_slot = chance(70) ? t.ccd_short : o.pseudo_channels == 1 ? 2 : 4;
  t.ccd_long = t.ccd_short + pick(0, 4);
  t.ccd_stack = t.ccd_short + pick(0, 4);
  t.ccd_stack_write = chosen(50) ? t.ccd_stack : t.ccd_short;
  t.cl = pick(4, 30);
  t.cwl = std::min(t.cl, pick(2, 20));
  t.rcd_read = pick(4, 35);
  t.rcd_write = pick(2, 25);
  t.rp = pick(4, 30);
  t.ras = std::max(t.rcd_read, t.rcd_write) + pick(0, 30);
  t.rc = t.ras + pick(2, 40);
  t.wr = pick(2, 40);
  t.rtp = pick(2, 12);
  t.rrd_short = pick(2, 6);
  t.rrd_long = t.rrd_short + pick(0, 4);
  t.rc = std::max(t.rc, t.rrd_long);
  t.faw = pick(4, 40);
  t.wtr_short = pick(1, 10);
  t.wtr_long = t.wtr_short + pick(0, 6);
  t.rtw = t.cl + t.burst - t.cwl + pick(0, 12);
  t.ppd = pick(1, 4);
  // All refreshes of an interval fit into half of it.
  t.rrefd = pick(1, 10);
  t.refi = pick(600, 4000);
  t.rfc_all = t.refi / between(4, 12);
  t.rfc_bank = std::max<Tick>(t.refi / o.banks_per_stack_id() / between(2, 6), t.rrefd);
  return t;
}

dram::Policy DramGenerator::policy() {
  dram::Policy p;
  p.scheduler = static_cast<dram::Scheduler>(below(2));
  p.page = static_cast<dram::PagePolicy>(below(3));
  p.page_timeout = p.page == dram::PagePolicy::kTimeout ? between(1, 400) : 0;
  p.refresh = chance(10)   ? dram::Refresh::kNone
              : chance(50) ? dram::Refresh::kAllBank
                           : dram::Refresh::kPerBank;
  // Small queues and close watermarks couple the pseudo-channels.
  const bool tight = chance(30);
  p.read_queue = static_cast<std::uint32_t>(tight ? between(2, 24) : between(32, 128));
  p.write_queue = static_cast<std::uint32_t>(tight ? between(2, 24) : between(32, 64));
  p.write_high = static_cast<std::uint32_t>(between(1, p.write_queue - 1));
  p.write_low = static_cast<std::uint32_t>(tight ? std::max<Tick>(0, p.write_high - between(0, 3))
                                                 : between(0, p.write_high));
  return p;
}

// As far as the timings permit: banks that hold segments must not delay a refresh until the next one is due.
void DramGenerator::choose_controller(DramSetup& s) {
  if (chosen(30)) s.policy.column_bus = dram::ColumnBus::kArbitrated;
  if (s.policy.column_bus == dram::ColumnBus::kArbitrated) s.timing.column_slot = 2;  // one cycle
  const dram::Timing& t = s.timing;
  const Tick row = s.organisation.columns * t.ccd_long + t.rtw + t.cwl + t.burst + t.wtr_long;
  const bool in_time = row * s.organisation.all_banks() + t.rp + t.rfc_all < t.refi;
  const bool possible =
      s.policy.refresh == dram::Refresh::kNone || (s.policy.refresh == dram::Refresh::kAllBank && in_time);
  if (possible && chosen(70)) s.policy.queue_exit = dram::QueueExit::kActivate;
}

DramSetup DramGenerator::setup() {
  DramSetup s;
  if (chance(25)) {
    s = hbm3_setup();
  } else {
    s.organisation = organisation();
    s.timing = timing(s.organisation);
  }
  s.policy = policy();
  choose_controller(s);
  return s;
}

std::vector<dram::Segment> DramGenerator::traffic(const DramSetup& setup, std::uint32_t count) {
  const dram::Organisation& o = setup.organisation;
  const std::uint32_t smaller = std::min(setup.policy.read_queue, setup.policy.write_queue);
  const auto longest = static_cast<std::uint32_t>(between(1, std::min(32U, smaller)));
  const auto reads = static_cast<unsigned>(chance(30) ? 100 * below(2) : below(101));
  // percent of accesses that stay in the previous row
  const unsigned stay = chance(50) ? 0 : static_cast<unsigned>(below(101));
  const Tick rows = between(1, 4), gap = chance(40) ? 0 : between(1, 400);
  const bool bursts = chance(30);
  const auto singles = static_cast<unsigned>(chance(60) ? 0 : 30 + below(60));  // percent
  std::vector<dram::Segment> segments;
  dram::Segment s;
  for (std::uint32_t n = 0; n < count; ++n) {
    if (n == 0 || !chance(stay)) {
      s.pseudo = static_cast<std::uint8_t>(below(o.pseudo_channels));
      s.bank = static_cast<std::uint8_t>(below(o.all_banks()));
      s.row = static_cast<std::uint32_t>(below(static_cast<std::uint64_t>(rows)));
    }
    s.write = !chance(reads);
    s.accesses = chance(singles) ? 1 : static_cast<std::uint32_t>(between(1, longest));
    if (!bursts || chance(10)) s.arrival += between(0, bursts ? 20 * gap : gap);
    s.tag = n;
    segments.push_back(s);
  }
  return segments;
}

}  // namespace tahoma::tests
