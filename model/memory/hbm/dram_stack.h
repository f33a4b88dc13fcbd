// SPDX-License-Identifier: Apache-2.0
// An HBM stack as channels of DRAM (dram/channel.h). A request is split into DRAM row segments when it
// arrives and is complete when its last segment is.
//
// One process wakes as rarely as the answers allow. A channel decides past events only when it is queried. A
// write that certainly finds space is answered at once. A read cannot complete before its accesses have
// passed the pins, and its initiator does not act before the time that it has given, so the channel is not
// queried before then. A read that is still incomplete is queried again after `slack`, the minimum latency of
// every answer. So no answer is late, and the times of queries do not affect the results.
//
// Not modelled: values, which use the back door: a read never waits for the data of a queued write.
#pragma once

#include <memory>
#include <vector>

#include "model/base/busy_series.h"
#include "model/memory/hbm/correctable_errors.h"
#include "model/memory/hbm/dram_access.h"
#include "model/memory/hbm/dram_requests.h"
#include "model/memory/hbm/hbm_fault_params.h"
#include "model/memory/hbm/hbm_stack.h"
#include "model/sim/fifo.h"
#include "model/sim/latency_histogram.h"
#include "model/sim/meter.h"
#include "model/sim/wake.h"

namespace tahoma::model {

class DramStack : public HbmStack {
 public:
  struct Environment {
    const HbmParams& params;
    std::shared_ptr<const DramDesign> design;
    base::Duration slack;  // minimum latency of an answer
    sim::Meter& meter;
  };
  DramStack(sc_core::sc_module_name name, const Environment& around, const StackFaults& faults);

  base::HbmMeasurement measure(base::Duration elapsed) override;

 private:
  struct Reader {  // a request that reads from the entry
    std::uint32_t request = 0, segments = 0;
    base::Time needed{0};
  };
  struct StackChannel {  // a channel and the stack's state for it
    std::unique_ptr<dram::Channel> channel;
    dram::Tick decided = 0;            // up to here
    std::uint32_t waiting_writes = 0;  // segments whose start must be reported
    std::vector<Reader> readers;
    base::ChannelMeasurement counted;
  };

  tlm::tlm_sync_enum request(int initiator, sim::Payload& payload, base::Duration ahead) override;
  bool submit(DramRequest& request, std::uint32_t tag);
  bool surely_enter(const std::vector<DramAccess::Part>& parts);
  void wake();
  void fetch() const;
  void poll();
  base::Time next_poll(const StackChannel& entry, base::Time now) const;
  void segment_over(StackChannel& entry, const dram::Done& done);
  void poll_by(std::uint32_t entry, base::Time when);
  void advance_channel(StackChannel& entry, dram::Tick until);
  void answer(const DramRequest& request);
  void answer_write(const DramRequest& request, base::Duration waited);
  void wake_at(base::Time when, std::size_t entry);
  // Everything before `now` can be decided; what a request at this instant could still change cannot.
  dram::Tick past(base::Time now) const { return design_->timing.clock.at_or_after(now).count - 1; }
  base::Time edge(dram::Tick tick) const { return design_->timing.clock.edge({tick}); }

  const HbmParams& params_;
  std::shared_ptr<const DramDesign> design_;
  base::Duration slack_;
  sim::Meter& meter_;
  StackFaults faults_;
  DramAccess access_;
  std::vector<StackChannel> stack_channels_;
  std::vector<base::Time> due_;  // next query time of each entry
  DramRequests requests_;
  sim::Wake wake_ = sim::Wake::calling<&DramStack::wake, &DramStack::fetch>(this);
  base::Time next_wake_ = base::kNever;
  dram::Channel::Location next_queried_;  // the first channel to be queried then

  sim::LatencyHistogram reads_, writes_;
  base::BusySeries series_;
  CorrectableErrors errors_;
};

}  // namespace tahoma::model
