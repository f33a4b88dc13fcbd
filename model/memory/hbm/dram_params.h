// SPDX-License-Identifier: Apache-2.0
// Parameters of the DRAM in an HBM stack and of its controllers; dram_resolved.h derives values from them.
#pragma once

#include <string>

#include "model/base/params.h"
#include "model/memory/dram/policy_params.h"

namespace tahoma::model {

struct DramTimingParams {
  base::Cycles ccd_short, ccd_long, ccd_stack, ccd_stack_write, ppd;
  base::Duration cl, cwl, rcd_read, rcd_write, rp, ras, rc, wr, rtp, rrd_short, rrd_long, faw, wtr_short,
      wtr_long, rtw, rfc_all, rfc_bank, rrefd, refi;
  void declare(base::ParamTree& t);
};

struct DramParams {
  std::uint64_t channels, pseudo_channels, stack_ids, bank_groups, banks;
  base::Bytes page, access;
  std::string mapping;
  dram::Scheduler scheduler;
  dram::PagePolicy page_policy;
  dram::Refresh refresh;
  dram::ColumnBus column_bus;
  dram::QueueExit queue_exit;
  base::Duration page_timeout, refresh_phase, correction;
  std::uint64_t read_queue, write_queue;                // accesses of a channel
  std::uint64_t write_high_percent, write_low_percent;  // of write_queue
  DramTimingParams timing;
  void declare(base::ParamTree& t);
};

// Checks constraints between parameters. Throws base::UserError E-CFG-020 at the offending parameter, and the
// errors of dram::AddressMapping for the mapping.
void check_dram(const DramParams& p, base::Bytes capacity, base::Bandwidth stack);

}  // namespace tahoma::model
