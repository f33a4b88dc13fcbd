// SPDX-License-Identifier: Apache-2.0
// Parameters of the DRAM in an HBM stack and of its controllers, and what follows from them together with the
// stack's capacity and bandwidth. The command clock is the one at which all pseudo-channels, each with a
// column command every ccd_short cycles, reach the bandwidth; times in nanoseconds become whole cycles of it,
// rounded up.
#pragma once

#include <string>

#include "model/base/params.h"
#include "model/memory/dram/organisation.h"
#include "model/memory/dram/timing.h"

namespace tahoma::model {

struct DramTimingParams {
  base::Cycles ccd_short, ccd_long, ccd_stack, ppd;
  base::Duration cl, cwl, rcd_read, rcd_write, rp, ras, rc, wr, rtp, rrd_short, rrd_long, faw, wtr_short,
      wtr_long, rtw, rfc_all, rfc_bank, rrefd, refi;
  void declare(base::ParamTree& t);
};

struct DramParams {
  std::uint64_t channels, pseudo_channels, stack_ids, bank_groups, banks;
  base::Bytes page, access;
  std::string mapping, scheduler, page_policy, refresh;
  base::Duration page_timeout;
  std::uint64_t read_queue, write_queue;           // accesses of a channel
  std::uint64_t write_high_percent, write_low_percent;  // of write_queue
  DramTimingParams timing;
  void declare(base::ParamTree& t);
};

// What a stack of `capacity` is made of. The rows of a bank follow from it.
dram::Organisation organisation_of(const DramParams& p, base::Bytes capacity);
base::Frequency command_clock(const DramParams& p, base::Bandwidth stack);
// Resolved to ticks of the command clock of a stack of this bandwidth.
dram::Timing timing_of(const DramParams& p, base::Bandwidth stack);
dram::Policy policy_of(const DramParams& p, base::Bandwidth stack);

// What one parameter alone cannot say. Throws base::UserError E-CFG-020 at the parameter to blame.
void check_dram(const DramParams& p, base::Bytes capacity, base::Bandwidth stack);

}  // namespace tahoma::model
