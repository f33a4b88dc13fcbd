// SPDX-License-Identifier: Apache-2.0
// The systolic array with its weight loader: loads go into shadow registers while the array streams; a matmul
// starts when the array is free and its weights have arrived.
#include "model/engine/pipeline.h"
#include "model/engine/throttle.h"
#include "model/engine/timing_laws.h"

namespace tahoma::model {
namespace {

using base::Cycle, base::Cycles, base::Time;

class TensorPipeline final : public Pipeline {
 public:
  explicit TensorPipeline(const TensorParams& p)
      : params_(p), clock_(p.clock), throttle_(p.throttle, p.throttle_window, p.throttle_phase) {}

  Issue issue(const isa::Instruction& i, Time dispatch, Ledger& ledger) override {
    const Cycles at = clock_.at_or_after(dispatch);
    return i.op == isa::Opcode::kLoadWeights ? load_weights(i, at, ledger) : matmul(i, at, ledger);
  }
  std::uint64_t hardware_flops() const override { return flops_; }

 private:
  // The shadow registers are free once the matmul that took the previous weights has started.
  Issue load_weights(const isa::Instruction& i, Cycles at, Ledger& ledger) {
    const WeightCost cost = weight_cost(i, params_);
    const Cycles start = std::max({at, shadow_free_, loader_free_});
    loader_free_ = start + cost.load;
    weights_ready_ = start + cost.to_matmul;
    const Time begin = clock_.edge(start), complete = clock_.edge(start + cost.complete);
    ledger.account(begin, Cycle::kWeightLoad);
    ledger.active(begin, complete);
    return {begin, clock_.edge(start + params_.back_to_back), complete, clock_.edge(loader_free_)};
  }

  Issue matmul(const isa::Instruction& i, Cycles at, Ledger& ledger) {
    const MatmulCost cost = matmul_cost(i, params_);
    ledger.account(clock_.edge(at), Cycle::kDispatch);
    const Cycles start = std::max({at, array_free_, weights_ready_});
    const Time begin = clock_.edge(start);
    ledger.account(begin, Cycle::kWeightLoad);
    const bool half_rate = throttle_.throttled(begin);
    const Cycles taken{cost.interval.count * (half_rate ? 2 : 1)};
    Cycles complete = start + Cycles{cost.streaming.count * (half_rate ? 2 : 1)} + cost.latency;
    if (half_rate) complete = complete + clock_.nearest(params_.throttle_latency);
    array_free_ = start + taken;
    shadow_free_ = start + params_.back_to_back;
    throttle_.busy(begin, clock_.edge(array_free_));
    ledger.account(clock_.edge(start + cost.interval), Cycle::kBusy);
    ledger.account(clock_.edge(array_free_), Cycle::kThrottle);
    ledger.active(begin, clock_.edge(complete));
    if (i.op == isa::Opcode::kMatmul)
      flops_ += 2 * std::uint64_t{i.shape.partitions} * i.columns * elements(i.shape);
    return {begin, clock_.edge(start + params_.back_to_back), clock_.edge(complete),
            clock_.edge(array_free_)};
  }

  const TensorParams& params_;
  base::Clock clock_;
  Throttle throttle_;
  Cycles array_free_{0}, weights_ready_{0}, shadow_free_{0}, loader_free_{0};
  std::uint64_t flops_ = 0;
};

}  // namespace

std::unique_ptr<Pipeline> make_tensor_pipeline(const TensorParams& params) {
  return std::make_unique<TensorPipeline>(params);
}

}  // namespace tahoma::model
