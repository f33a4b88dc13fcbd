// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/dram_resolved.h"

#include <algorithm>

namespace tahoma::model {
namespace {

// Returns a least distance in whole cycles, rounded up exactly.
std::int64_t whole_cycles(base::Duration d, base::Frequency clock) {
  constexpr base::Int128 kFsPerSecond = 1'000'000'000'000'000;
  const base::Int128 scaled = base::Int128{d.fs} * clock.hz;
  return static_cast<std::int64_t>((scaled + kFsPerSecond - 1) / kFsPerSecond);
}

}  // namespace

base::Frequency command_clock(const DramParams& p, base::Bandwidth stack) {
  const base::Uint128 bytes_per_slot = base::Uint128{p.channels} * p.pseudo_channels * p.access.count;
  const auto slot_cycles = static_cast<base::Uint128>(p.timing.ccd_short.count);
  const base::Uint128 hz = base::Uint128{stack.bytes_per_second} * slot_cycles / bytes_per_slot;
  return {std::max<std::uint64_t>(1, static_cast<std::uint64_t>(hz))};
}

dram::Organisation organisation_of(const DramParams& p, base::Bytes capacity) {
  const auto count = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  dram::Organisation o{.channels = count(p.channels),
                       .pseudo_channels = count(p.pseudo_channels),
                       .stack_ids = count(p.stack_ids),
                       .groups = count(p.bank_groups),
                       .banks = count(p.banks),
                       .rows = 1,
                       .columns = count(p.page.count / p.access.count),
                       .access_bytes = count(p.access.count)};
  o.rows = count(capacity.count / o.capacity());
  return o;
}

dram::Timing timing_of(const DramParams& p, base::Bandwidth stack) {
  constexpr dram::Tick kTicks = 2;  // per cycle
  const base::Frequency command = command_clock(p, stack);
  const auto cycles = [](base::Cycles c) { return kTicks * c.count; };
  const auto ns = [command](base::Duration d) { return kTicks * whole_cycles(d, command); };
  const DramTimingParams& t = p.timing;
  dram::Timing r;
  r.clock = base::Clock({kTicks * command.hz});
  r.burst = r.ccd_short = cycles(t.ccd_short);
  r.ccd_long = cycles(t.ccd_long);
  r.ccd_stack = cycles(t.ccd_stack);
  r.ccd_stack_write = cycles(t.ccd_stack_write);
  r.ppd = cycles(t.ppd);
  r.cl = ns(t.cl);
  r.cwl = ns(t.cwl);
  r.rcd_read = ns(t.rcd_read);
  r.rcd_write = ns(t.rcd_write);
  r.rp = ns(t.rp);
  r.ras = ns(t.ras);
  r.rc = ns(t.rc);
  r.wr = ns(t.wr);
  r.rtp = ns(t.rtp);
  r.rrd_short = ns(t.rrd_short);
  r.rrd_long = ns(t.rrd_long);
  r.faw = ns(t.faw);
  r.wtr_short = ns(t.wtr_short);
  r.wtr_long = ns(t.wtr_long);
  r.rtw = std::max(ns(t.rtw), r.cl + r.burst - r.cwl);
  r.rfc_all = ns(t.rfc_all);
  r.rfc_bank = ns(t.rfc_bank);
  r.rrefd = ns(t.rrefd);
  r.refi = ns(t.refi);
  r.refresh_phase = ns(p.refresh_phase) % r.refi;
  // check_dram ensures that every pseudo-channel has a slot in ccd_short.
  r.column_slot = p.column_bus == dram::ColumnBus::kArbitrated ? kTicks : r.ccd_short;
  return r;
}

dram::Policy policy_of(const DramParams& p, base::Bandwidth stack) {
  dram::Policy r;
  r.scheduler = p.scheduler;
  r.page = p.page_policy;
  r.refresh = p.refresh;
  r.column_bus = p.column_bus;
  r.queue_exit = p.queue_exit;
  if (r.page == dram::PagePolicy::kTimeout)
    r.page_timeout = 2 * whole_cycles(p.page_timeout, command_clock(p, stack));
  r.read_queue = static_cast<std::uint32_t>(p.read_queue);
  r.write_queue = static_cast<std::uint32_t>(p.write_queue);
  r.write_high = static_cast<std::uint32_t>(p.write_queue * p.write_high_percent / 100);
  r.write_low = static_cast<std::uint32_t>((p.write_queue * p.write_low_percent + 99) / 100);
  return r;
}

}  // namespace tahoma::model
