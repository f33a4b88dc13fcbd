// SPDX-License-Identifier: Apache-2.0
// An isolated HBM stack with its DRAM: requests go in, answers come out.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <optional>
#include <vector>

#include "model/memory/hbm/dram_stack.h"
#include "model/sim/time.h"

namespace tahoma::tests {

struct StackRequest {
  bool write = false;
  std::uint64_t offset = 0;
  std::uint32_t bytes = 32, core = 0, engine = 0;
  base::Time start{0};
};

struct StackAnswer {
  StackRequest request;
  base::Time first{0}, last{0};
  base::Duration held{0};
};

class StackBench : public sc_core::sc_module {
 public:
  // The network's return path: an answer arrives at most this long after its last data.
  static constexpr base::Duration kSlack{34'000'000};

  // Called with each answer; the request that it returns is sent next.
  using Next = std::function<std::optional<StackRequest>(const StackAnswer&)>;

  StackBench(const model::HbmParams& params, Next next, sc_core::sc_module_name name = "bench")
      : sc_module(name),
        params_(in_femtoseconds(params)),
        next_(std::move(next)),
        stack_("stack", {params_, model::design_of(params_, 1), kSlack, meter_}, model::StackFaults{}) {
    out_.register_nb_transport_bw(this, &StackBench::on_answer);
    out_.bind(stack_.port);
  }

  // Announces all requests now, in this order, and runs until the last one is answered.
  base::HbmMeasurement run(const std::vector<StackRequest>& requests) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (const StackRequest& r : requests) ask(r);
    sc_core::sc_start();
    meter_.rethrow();
    return stack_.measure(over_ - base::Time{0});
  }
  base::Duration elapsed() const { return over_ - base::Time{0}; }

 private:
  // Call it before the first module is constructed.
  static const model::HbmParams& in_femtoseconds(const model::HbmParams& params) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return params;
  }

  void ask(StackRequest r) {
    for (std::optional<StackRequest> more = r; more.has_value();) {
      sim::Payload* p =
          pool_.take(more->write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, more->offset, more->bytes);
      sim::PacketInfo& info = sim::info_of(*p);
      info.source_core = more->core;
      info.engine = more->engine;
      info.tag = static_cast<std::uint32_t>(asked_.size());
      info.rows.start(more->bytes);
      info.last = more->start;
      asked_.push_back(*more);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = sim::to_systemc(more->start - sim::now());
      if (out_->nb_transport_fw(*p, phase, delay) == tlm::TLM_ACCEPTED) return;
      more = answered(*p);
    }
  }

  tlm::tlm_sync_enum on_answer(sim::Payload& p, tlm::tlm_phase&, sc_core::sc_time&) {
    if (const auto more = answered(p)) ask(*more);
    return tlm::TLM_COMPLETED;
  }

  std::optional<StackRequest> answered(sim::Payload& p) {
    const sim::PacketInfo& info = sim::info_of(p);
    const StackAnswer answer{asked_[info.tag], info.first, info.last, info.held};
    over_ = std::max(over_, answer.last);
    p.release();
    return next_(answer);
  }

  model::HbmParams params_;
  Next next_;
  sim::Meter meter_;
  sim::PayloadPool pool_;
  tlm_utils::simple_initiator_socket<StackBench> out_{"out"};
  model::DramStack stack_;
  std::vector<StackRequest> asked_;
  base::Time over_{0};
};

}  // namespace tahoma::tests
