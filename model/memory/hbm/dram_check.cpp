// SPDX-License-Identifier: Apache-2.0
// Constraints between the parameters of DRAM.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "model/memory/dram/mapping.h"
#include "model/memory/hbm/dram_resolved.h"

namespace tahoma::model {
namespace {

using base::to_text;

[[noreturn]] void refuse(const std::string& name, const std::string& text) {
  throw base::UserError("E-CFG-020", "machine.chip.hbm." + name, text);
}

void check_counts(const DramParams& p, base::Bytes capacity) {
  struct Count {
    const char* name;
    std::uint64_t value;
  };
  const std::array<Count, 7> powers{{{"channels", p.channels},
                                     {"pseudo_channels", p.pseudo_channels},
                                     {"stack_ids", p.stack_ids},
                                     {"bank_groups", p.bank_groups},
                                     {"banks", p.banks},
                                     {"access", p.access.count},
                                     {"page", p.page.count}}};
  for (const Count& count : powers)
    if (!std::has_single_bit(count.value))
      refuse(fmt::format("dram.{}", count.name),
             fmt::format("{} is not a power of two, so address bits cannot choose among them", count.value));
  if (p.page < p.access)
    refuse("dram.page",
           fmt::format("a row of {} does not hold one access of {}", to_text(p.page), to_text(p.access)));
  const auto ccd_short = static_cast<std::uint64_t>(p.timing.ccd_short.count);
  if (p.pseudo_channels > ccd_short)
    refuse("dram.pseudo_channels",
           fmt::format("their {} column commands every {} cycles exceed the capacity of one bus",
                       p.pseudo_channels, ccd_short));
  const std::uint64_t banks = p.stack_ids * p.bank_groups * p.banks;
  if (banks > dram::kMostBanks)
    refuse("dram.banks", fmt::format("{} stack IDs x {} bank groups x {} banks exceed the {} banks "
                                     "that a pseudo-channel can have",
                                     p.stack_ids, p.bank_groups, p.banks, dram::kMostBanks));
  const std::uint64_t rows_of_all = p.channels * p.pseudo_channels * banks * p.page.count;
  if (capacity.count < rows_of_all || capacity.count % rows_of_all != 0)
    refuse("capacity",
           fmt::format("{} is not a whole number of rows: one of {} in each of {} x {} x {} banks takes {}",
                       to_text(capacity), to_text(p.page), p.channels, p.pseudo_channels, banks,
                       to_text(base::Bytes{rows_of_all})));
}

void check_queues(const DramParams& p) {
  const std::uint64_t row = p.page.count / p.access.count;
  const auto holds_a_row = [row](const char* name, std::uint64_t accesses) {
    if (accesses < row)
      refuse(fmt::format("dram.{}", name),
             fmt::format("{} accesses do not hold the {} of one row", accesses, row));
  };
  holds_a_row("read_queue", p.read_queue);
  holds_a_row("write_queue", p.write_queue);
  if (p.write_low_percent >= p.write_high_percent)
    refuse("dram.write_low", fmt::format("{} percent are not below write_high, {} percent",
                                         p.write_low_percent, p.write_high_percent));
}

// A rule of zero does not apply.
template <class Length>
void check_not_below(const char* name, Length value, const std::string& other, Length least) {
  if (value != Length{} && value < least)
    refuse(fmt::format("dram.timing.{}", name),
           fmt::format("{} is less than {}, which is {}", to_text(value), other, to_text(least)));
}

void check_rules(const DramTimingParams& t) {
  check_not_below("ccd_long", t.ccd_long, "ccd_short", t.ccd_short);
  check_not_below("ccd_stack", t.ccd_stack, "ccd_short", t.ccd_short);
  check_not_below("ccd_stack_write", t.ccd_stack_write, "ccd_short", t.ccd_short);
  check_not_below("rrd_long", t.rrd_long, "rrd_short", t.rrd_short);
  check_not_below("wtr_long", t.wtr_long, "wtr_short", t.wtr_short);
  check_not_below("ras", t.ras, "rcd_read", t.rcd_read);
  check_not_below("ras", t.ras, "rcd_write", t.rcd_write);
  check_not_below("rc", t.rc, "ras + rp", t.ras + t.rp);
}

// The last data of a read must leave the pins before those of a write arrive.
void check_turn(const DramParams& p, base::Bandwidth stack) {
  const base::Clock clock(command_clock(p, stack));
  const base::Duration burst = clock.length(p.timing.ccd_short);
  check_not_below("rtw", p.timing.rtw, "cl + the data of a burst - cwl", p.timing.cl + burst - p.timing.cwl);
}

// The longest time in which all banks of a pseudo-channel serve a row each, every one in another direction
// than the bank before it. While banks of several groups have work, an access of any of them follows the last
// one at the latest after ccd_stack.
base::Duration all_rows(const DramParams& p, const base::Clock& clock) {
  const DramTimingParams& t = p.timing;
  const auto row = static_cast<std::int64_t>(p.page.count / p.access.count);
  const auto banks = static_cast<std::int64_t>(p.stack_ids * p.bank_groups * p.banks);
  const std::int64_t apart = std::max({t.ccd_short.count, t.ccd_stack.count, t.ccd_stack_write.count});
  const std::int64_t last_group = static_cast<std::int64_t>(p.banks) * row * t.ccd_long.count;
  const base::Duration turn = t.rtw + t.cwl + clock.length(t.ccd_short) + t.wtr_long;
  return clock.length(base::Cycles{banks * row * apart + last_group}) + base::Duration{banks * turn.fs};
}

// Requests that left their queue keep their banks open: all of them must end between two refreshes.
void check_held(const DramParams& p, base::Bandwidth stack) {
  if (p.queue_exit != dram::QueueExit::kActivate || p.refresh == dram::Refresh::kNone) return;
  if (p.refresh == dram::Refresh::kPerBank)
    refuse("dram.queue_exit",
           "with refresh per_bank, a request that left its queue may keep its bank open until the next "
           "refresh is due: "
           "expected refresh all_bank or none");
  const base::Duration served = all_rows(p, base::Clock(command_clock(p, stack)));
  if (served + p.timing.rp + p.timing.rfc_all >= p.timing.refi)
    refuse(
        "dram.queue_exit",
        fmt::format(
            "the rows of all banks take up to {}, and a refresh every {} leaves less: expected last_command",
            to_text(served), to_text(p.timing.refi)));
}

// The longest time until a bank that is due can be refreshed: it is closed, and an activate or another stack
// ID may precede it.
base::Duration until_refresh(const DramParams& p, base::Bandwidth stack) {
  const DramTimingParams& t = p.timing;
  const base::Clock clock(command_clock(p, stack));
  const base::Duration closes = std::max({t.ras, t.rtp, t.cwl + clock.length(t.ccd_short) + t.wr}),
                       others = t.rrefd + clock.length(t.ppd);
  return closes + t.rp + std::max(t.rrd_short, t.rrd_long) +
         base::Duration{static_cast<std::int64_t>(p.stack_ids) * others.fs};
}

void check_refresh(const DramParams& p, base::Bandwidth stack) {
  const DramTimingParams& t = p.timing;
  if (p.refresh == dram::Refresh::kNone) return;
  const bool per_bank = p.refresh == dram::Refresh::kPerBank;
  const base::Duration every{t.refi.fs / static_cast<std::int64_t>(per_bank ? p.bank_groups * p.banks : 1)};
  if (const base::Duration waits = until_refresh(p, stack); waits >= every)
    refuse("dram.timing.refi",
           fmt::format("a bank may take {} to close for its refresh, and the next one is due after {}",
                       to_text(waits), to_text(every)));
  if (p.refresh == dram::Refresh::kAllBank && t.rp + t.rfc_all >= t.refi)
    refuse("dram.timing.refi",
           fmt::format("a refresh every {} that takes {} leaves no time for anything else", to_text(t.refi),
                       to_text(t.rp + t.rfc_all)));
  if (p.refresh != dram::Refresh::kPerBank) return;
  const auto banks = static_cast<std::int64_t>(p.bank_groups * p.banks);
  const base::Duration turn{t.refi.fs / banks};
  const base::Duration taken = t.rp + std::max(t.rfc_bank, t.rrefd);
  if (taken > turn)
    refuse("dram.timing.refi",
           fmt::format("an interval of {} for each of {} banks is shorter than closing and "
                       "refreshing one bank, {}",
                       to_text(turn), banks, to_text(taken)));
}

}  // namespace

void check_dram(const DramParams& p, base::Bytes capacity, base::Bandwidth stack) {
  check_counts(p, capacity);
  check_queues(p);
  check_rules(p.timing);
  check_turn(p, stack);
  check_refresh(p, stack);
  check_held(p, stack);
  const dram::AddressMapping mapping(p.mapping, organisation_of(p, capacity),
                                     "machine.chip.hbm.dram.mapping");
}

}  // namespace tahoma::model
