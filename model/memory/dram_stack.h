// SPDX-License-Identifier: Apache-2.0
// An HBM stack as channels of DRAM (dram/channel.h). A request is cut into segments of DRAM rows when it
// arrives; it is over when its last segment is.
//
// One process: whenever requests are under way it wakes in intervals of `slack`, lets the channels decide
// everything up to now, and answers what has ended. An answer takes at least `slack` to reach whoever asked,
// so it is never late, and the length of the interval is invisible in every result.
//
// Leaves out values, which take the back door: a read never waits for the data of a queued write.
#pragma once

#include <optional>
#include <random>

#include "model/memory/dram_access.h"
#include "model/memory/hbm_fault_params.h"
#include "model/memory/hbm_stack.h"
#include "model/sim/busy_series.h"
#include "model/sim/fifo.h"
#include "model/sim/latency_histogram.h"
#include "model/sim/meter.h"

namespace tahoma::model {

class DramStack : public HbmStack {
 public:
  struct Environment {
    const HbmParams& params;
    std::shared_ptr<const DramDesign> design;
    base::Duration slack;  // what an answer takes at least
    sim::Meter& meter;
  };
  DramStack(sc_core::sc_module_name name, const Environment& around, const StackFaults& faults);

  base::HbmMeasurement measure(base::Duration elapsed) const override;

 private:
  struct Request {  // under way
    sim::Payload* payload = nullptr;
    int initiator = 0;
    base::Time start{0};
    std::uint32_t left = 0;  // segments
    dram::Tick first = dram::kNoTick, last = 0;
    bool corrected = false;
  };
  struct Lane {  // a channel and what the stack keeps about it
    std::unique_ptr<dram::Channel> channel;
    std::uint64_t read_bytes = 0, write_bytes = 0;
    std::uint64_t until_error = 0, errors = 0;  // accesses
  };

  tlm::tlm_sync_enum request(int initiator, sim::Payload& payload, base::Duration ahead) override;
  void wake();
  void advance();
  void take_arrivals(dram::Tick now);
  void begin(std::uint32_t index);
  void end_segments(Lane& lane);
  void answer(std::uint32_t index);
  void book(const sim::Payload& payload);
  void schedule();
  bool meets_error(Lane& lane, dram::Segment& segment);
  std::uint64_t next_error();
  base::Time edge(dram::Tick tick) const { return design_->timing.clock.edge({tick}); }

  const HbmParams& params_;
  std::shared_ptr<const DramDesign> design_;
  base::Duration slack_;
  sim::Meter& meter_;
  StackFaults faults_;
  DramAccess access_;
  std::vector<Lane> lanes_;
  std::uint64_t active_ = 0;  // a bit for each channel with work
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> arriving_;  // announced, not yet begun
  std::vector<std::uint32_t> over_;
  sc_core::sc_event wake_;
  base::Time woken_{0}, next_wake_ = base::kNever;

  std::uint64_t read_bytes_ = 0, write_bytes_ = 0;
  std::vector<base::HbmMeasurement::User> users_;
  sim::LatencyHistogram reads_, writes_;
  sim::BusySeries series_;
  dram::Tick data_booked_ = 0;
  std::mt19937_64 random_;
  std::uint64_t events_ = 0;
  std::vector<base::HbmEvent> first_events_;
};

}  // namespace tahoma::model
