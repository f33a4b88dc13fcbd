// SPDX-License-Identifier: Apache-2.0
// An HBM stack as a bandwidth and a latency: requests are served in order of arrival, reads and writes alike,
// and answered at once.
//
// Not modelled: the effects that make DRAM slower than its pins (rows, banks, refresh, turnarounds). Each
// packet is one access, whatever its pattern.
#pragma once

#include "model/memory/hbm/hbm_fault_params.h"
#include "model/memory/hbm/hbm_stack.h"
#include "model/sim/booked_server.h"

namespace tahoma::model {

class FlatStack : public HbmStack {
 public:
  FlatStack(sc_core::sc_module_name name, const HbmParams& params, const StackFaults& faults);

  base::HbmMeasurement measure(base::Duration elapsed) override;

 private:
  tlm::tlm_sync_enum request(int initiator, sim::Payload& payload, base::Duration ahead) override;

  const HbmParams& params_;
  sim::BookedServer server_;
};

}  // namespace tahoma::model
