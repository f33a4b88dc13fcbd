// SPDX-License-Identifier: Apache-2.0
// An HBM stack whose channels time each segment when it arrives (bank_channel.h). A request is split into
// DRAM row segments as in dram_stack.h, and answered at once: the stack has no process and no events.
//
// Requests are timed in the order in which they are made, also those of one instant. A write that is
// announced ahead of its arrival is kept until then.
//
// Not modelled: what bank_channel.h leaves out. Waits for a refresh count as time lost to waits for a bank.
#pragma once

#include <memory>
#include <vector>

#include "model/base/busy_series.h"
#include "model/memory/banks/bank_channel.h"
#include "model/memory/hbm/correctable_errors.h"
#include "model/memory/hbm/dram_access.h"
#include "model/memory/hbm/hbm_fault_params.h"
#include "model/memory/hbm/hbm_stack.h"
#include "model/sim/latency_histogram.h"

namespace tahoma::model {

class BankStack : public HbmStack {
 public:
  BankStack(sc_core::sc_module_name name, const HbmParams& params, std::shared_ptr<const DramDesign> design,
            const StackFaults& faults);

  base::HbmMeasurement measure(base::Duration elapsed) override;

 private:
  struct StackChannel {  // a channel and the stack's counts for it
    dram::BankChannel channel;
    base::ChannelMeasurement counted;
  };
  struct Answer {  // of all segments of a request
    dram::Tick first = dram::kNoTick, last = 0;
    bool corrected = false;
  };
  tlm::tlm_sync_enum request(int initiator, sim::Payload& payload, base::Duration ahead) override;
  Answer time_segments(const sim::Payload& payload, dram::Tick arrival, dram::Tick settled);
  void note_use(dram::BankChannel& channel);
  base::Time edge(dram::Tick tick) const { return design_->timing.clock.edge({tick}); }

  const HbmParams& params_;
  std::shared_ptr<const DramDesign> design_;
  StackFaults faults_;
  dram::BankRules rules_;
  DramAccess access_;
  std::vector<StackChannel> stack_channels_;
  CorrectableErrors errors_;
  sim::LatencyHistogram reads_, writes_;
  base::BusySeries series_;
};

}  // namespace tahoma::model
