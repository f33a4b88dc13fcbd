// SPDX-License-Identifier: Apache-2.0
// Vector, scalar and GpSimd engines. One instruction occupies the lanes at a time, and one may wait in front
// of them (assumed: profiles show starts up to about one instruction ahead of the lanes); results drain
// behind. The scalar engine holds one set of function tables; a switch costs time.
#include "isa/table/activation_functions.h"
#include "isa/table/table.h"
#include "model/base/error.h"
#include "model/engine/pipeline/pipeline.h"
#include "model/engine/pipeline/timing_laws.h"

namespace tahoma::model {
namespace {

using base::StallReason, base::Cycles, base::Time;

class LanePipeline final : public Pipeline {
 public:
  LanePipeline(base::EngineKind kind, const CoreParams& p)
      : kind_(kind), params_(p), clock_(frequency(kind, p)) {}

  Issue issue(const isa::Instruction& i, Time dispatch, Ledger& ledger) override {
    const isa::OpRow& row = isa::row_of(i.op);
    const LaneLaw law = lane_law(row.cost);
    TAHOMA_INVARIANT(law != nullptr, "no timing law for " + std::string(row.mnemonic));
    Cycles start = std::max(clock_.at_or_after(dispatch), front_free_);
    ledger.account(clock_.edge(start), StallReason::kDispatch);
    start = start + switch_tables(row, i.func);
    ledger.account(clock_.edge(start), StallReason::kTableLoad);
    const Occupancy cost = law(i, kind_, params_);
    const Cycles lanes = std::max(start, lanes_free_);
    front_free_ = std::max(start + cost.issue, lanes);
    lanes_free_ = lanes + cost.lanes;
    const Time begin = clock_.edge(start), next = clock_.edge(front_free_),
               complete = clock_.edge(lanes + cost.complete);
    ledger.account(std::min(clock_.edge(lanes_free_), std::max(next, complete)), StallReason::kBusy);
    ledger.active(begin, complete);
    return {begin, next, complete, clock_.edge(lanes + cost.streamed), clock_.edge(lanes)};
  }

  Issue hold(const Issue& issue, base::Duration by, StallReason reason, Ledger& ledger) override {
    const Cycles more = clock_.at_or_after({by.fs});
    const auto later = [&](Time t) { return clock_.edge(clock_.at_or_after(t) + more); };
    front_free_ = front_free_ + more;
    lanes_free_ = lanes_free_ + more;
    const Issue longer{issue.start, later(issue.next), later(issue.complete), later(issue.read), issue.enter};
    ledger.account(std::min(clock_.edge(lanes_free_), std::max(longer.next, longer.complete)), reason);
    ledger.active(longer.start, longer.complete);
    return longer;
  }

 private:
  static base::Frequency frequency(base::EngineKind kind, const CoreParams& p) {
    if (kind == base::EngineKind::kVector) return p.vector.clock;
    return kind == base::EngineKind::kScalar ? p.scalar.clock : p.gpsimd.clock;
  }

  Cycles switch_tables(const isa::OpRow& row, isa::ActFn fn) {
    if (row.cost != isa::CostClass::kActivation && row.cost != isa::CostClass::kActivationReduce) return {0};
    const TableSwitch change = table_switch(fn, tables_, params_.tables);
    tables_ = change.loaded;
    return change.cycles;
  }

  base::EngineKind kind_;
  const CoreTiming params_;
  base::Clock clock_;
  Cycles front_free_{0}, lanes_free_{0};
  unsigned tables_ = isa::kNoTableSet;
};

}  // namespace

std::unique_ptr<Pipeline> make_lane_pipeline(base::EngineKind kind, const CoreParams& params) {
  return std::make_unique<LanePipeline>(kind, params);
}

}  // namespace tahoma::model
