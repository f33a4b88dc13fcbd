// SPDX-License-Identifier: Apache-2.0
// One HBM stack as the chip sees it: a TLM-2.0 target socket that speaks the protocol of sim/packet.h, the
// host pages that hold its contents, and its measurements. The machine's configuration selects the
// implementation, flat_stack.h or dram_stack.h; foreign_stack.h connects an external memory model.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <systemc>

#include "model/base/error.h"
#include "model/base/measurements.h"
#include "model/memory/hbm/host_memory.h"
#include "model/sim/packet.h"
#include "model/sim/time.h"

namespace tahoma::model {

class HbmStack : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<HbmStack> port{"port"};

  HostMemory& host_memory() { return host_memory_; }
  virtual base::HbmMeasurement measure(base::Duration elapsed) = 0;
  // Called at the end of the run: throws if an external memory has left a request unanswered.
  virtual void check_ended() const {}

 protected:
  HbmStack(sc_core::sc_module_name name, base::Bytes capacity)
      : sc_module(name), host_memory_(capacity.count) {
    port.register_nb_transport_fw(this, &HbmStack::on_request);
  }
  virtual tlm::tlm_sync_enum request(int initiator, sim::Payload& payload, base::Duration ahead) = 0;
  // Counts the bytes of a request, in total and by core.
  void count(const sim::Payload& payload) {
    const std::uint32_t core = sim::info_of(payload).source_core;
    auto user = std::find_if(counted_.users.begin(), counted_.users.end(),
                             [core](const auto& u) { return u.core == core; });
    if (user == counted_.users.end()) user = counted_.users.insert(counted_.users.end(), {core, 0, 0});
    const std::uint64_t bytes = payload.get_data_length();
    (payload.is_read() ? user->read_bytes : user->write_bytes) += bytes;
    (payload.is_read() ? counted_.read_bytes : counted_.write_bytes) += bytes;
  }
  // Returns the counts, under the stack's name.
  base::HbmMeasurement counted() const {
    base::HbmMeasurement m = counted_;
    m.path = name();
    std::sort(m.users.begin(), m.users.end(), [](const auto& a, const auto& b) { return a.core < b.core; });
    return m;
  }

  base::HbmMeasurement counted_;  // while the simulation runs

 private:
  tlm::tlm_sync_enum on_request(int initiator, sim::Payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay) {
    TAHOMA_INVARIANT(phase == tlm::BEGIN_REQ, std::string(name()) + ": unexpected phase");
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return request(initiator, payload, sim::from_systemc(delay));
  }

  HostMemory host_memory_;
};

}  // namespace tahoma::model
