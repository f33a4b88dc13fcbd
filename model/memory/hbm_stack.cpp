// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm_stack.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

HbmStack::HbmStack(sc_core::sc_module_name name, const HbmParams& params, const StackFaults& faults)
    : sc_module(name),
      params_(params),
      server_(faults.bandwidth(params)),
      pages_(faults.capacity(params).count) {
  port.register_nb_transport_fw(this, &HbmStack::on_request);
}

tlm::tlm_sync_enum HbmStack::on_request(int, sim::Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  TAHOMA_INVARIANT(phase == tlm::BEGIN_REQ, std::string(name()) + ": unexpected phase");
  const std::uint64_t bytes = payload.get_data_length();
  const base::Time now = sim::now();
  const auto slot = server_.reserve(now + sim::from_kernel(delay), {bytes}, now);
  sim::PacketInfo& info = sim::info_of(payload);
  if (payload.is_read()) {
    read_bytes_ += bytes;
    info.first = slot.start + params_.read_latency;
    info.last = slot.end + params_.read_latency;
  } else {
    write_bytes_ += bytes;
    info.held += slot.held;
    info.last = std::max(info.last, slot.end);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return tlm::TLM_COMPLETED;
}

base::HbmMeasurement HbmStack::measure() const {
  base::HbmMeasurement m;
  m.path = name();
  m.read_bytes = read_bytes_;
  m.write_bytes = write_bytes_;
  m.busy = server_.busy();
  m.peak = params_.bandwidth;
  m.series = server_.series();
  return m;
}

}  // namespace tahoma::model
