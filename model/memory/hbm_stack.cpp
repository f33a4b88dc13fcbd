// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm_stack.h"

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
  const auto slot = server_.reserve(now + sim::from_kernel(delay), {bytes});
  (payload.is_read() ? read_bytes_ : write_bytes_) += bytes;
  sim::info_of(payload).served = slot.end;
  delay = sim::to_kernel(slot.start - now + (payload.is_read() ? params_.read_latency : base::Duration{0}));
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
