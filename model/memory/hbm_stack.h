// SPDX-License-Identifier: Apache-2.0
// One HBM stack behind a TLM-2.0 target socket: a server of bytes at the stack's rate with a fixed read
// latency. Requests are served as they arrive, reads and writes alike, and answered at once (sim/packet.h).
// It has a write as soon as its bytes have passed.
//
// Leaves out what makes DRAM slower than its pins: rows, banks, refresh, turnarounds. Each packet is one
// access whatever its pattern.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <systemc>

#include "model/base/measurements.h"
#include "model/memory/hbm_fault_params.h"
#include "model/memory/host_pages.h"
#include "model/sim/booked_server.h"
#include "model/sim/packet.h"

namespace tahoma::model {

class HbmStack : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<HbmStack> port{"port"};

  HbmStack(sc_core::sc_module_name name, const HbmParams& params, const StackFaults& faults);

  HostPages& pages() { return pages_; }
  base::HbmMeasurement measure() const;

 private:
  tlm::tlm_sync_enum on_request(int id, sim::Payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay);

  const HbmParams& params_;
  sim::BookedServer server_;
  HostPages pages_;
  std::uint64_t read_bytes_ = 0, write_bytes_ = 0;
};

}  // namespace tahoma::model
