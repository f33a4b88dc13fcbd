// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/flat_stack.h"

#include <algorithm>

namespace tahoma::model {

FlatStack::FlatStack(sc_core::sc_module_name name, const HbmParams& params, const StackFaults& faults)
    : HbmStack(name, faults.capacity(params)), params_(params), server_(faults.bandwidth(params)) {}

tlm::tlm_sync_enum FlatStack::request(int, sim::Payload& payload, base::Duration ahead) {
  const std::uint64_t bytes = payload.get_data_length();
  const base::Time now = sim::now();
  const auto slot = server_.reserve(now + ahead, {bytes}, now);
  sim::PacketInfo& info = sim::info_of(payload);
  if (payload.is_read()) {
    counted_.read_bytes += bytes;
    info.first = slot.start + params_.read_latency;
    info.last = slot.end + params_.read_latency;
  } else {
    counted_.write_bytes += bytes;
    info.held += slot.held;
    info.last = std::max(info.last, slot.end);
  }
  return tlm::TLM_COMPLETED;
}

base::HbmMeasurement FlatStack::measure(base::Duration) {
  base::HbmMeasurement m = counted();
  m.busy = server_.busy();
  m.peak = params_.bandwidth;
  m.series = server_.series();
  return m;
}

}  // namespace tahoma::model
