// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline.h"
#include "model/engine/throttle.h"
#include "model/engine/timing_laws.h"
#include "tests/support/witness.h"

namespace tahoma::tests {
namespace {

using base::EngineKind, base::Time;
using isa::DType, isa::Opcode, isa::Space;
using model::MachineParams;

// fp16 unless said otherwise, [128, n], contiguous, from SBUF.
isa::Instruction tiles(Opcode op, std::uint16_t n, DType dtype = DType::kFp16, Space dst = Space::kSbuf) {
  isa::Instruction i;
  i.op = op;
  i.shape = {128, {1, 1, 1, n}};
  i.columns = 128;
  for (isa::Tile* t : {&i.dst, &i.src0, &i.src1}) {
    t->dtype = dtype;
    t->stride = {0, 0, 0, 1};
  }
  i.dst.space = dst;
  return i;
}
isa::Instruction matmul(std::uint16_t n) { return tiles(Opcode::kMatmul, n, DType::kFp16, Space::kPsum); }

double ns(base::Cycles cycles, base::Frequency clock) { return base::Clock(clock).length(cycles).ns(); }

// The second of two instructions that come to the tensor engine together, and the first.
struct Two {
  model::Issue first, second;
};
Two issue(const model::TensorParams& p, const isa::Instruction& a, const isa::Instruction& b) {
  const auto pipeline = model::make_tensor_pipeline(p);
  model::Ledger ledger;
  const model::Issue first = pipeline->issue(a, {0}, ledger);
  return {first, pipeline->issue(b, first.next, ledger)};
}

// When continuous work from time zero is granted full rate, to a tenth of a nanosecond.
double released(const model::TensorParams& p) {
  model::Throttle throttle(p.throttle, p.throttle_window, p.throttle_phase);
  Time now{0};
  for (; throttle.throttled(now); now += Time{100'000}) throttle.busy(now, now + Time{100'000});
  return now.ns();
}

double tile_pitch(const model::TensorParams& p) {
  isa::Instruction a = matmul(128), b = matmul(128);
  a.shape.partitions = b.shape.partitions = 64;
  b.src0.partition = 64;
  const Two two = issue(p, a, b);
  return (two.second.start - two.first.start).ns();
}

std::function<double(const MachineParams&)> of(double (*law)(const model::TensorParams&)) {
  return [law](const MachineParams& m) { return law(m.chip.core.tensor); };
}

double latency(const model::TensorParams& p) {
  const model::MatmulCost cost = matmul_cost(matmul(420), DType::kFp16, p);
  return ns(cost.streaming + cost.latency, p.clock);
}
double interval(const model::TensorParams& p) {
  return ns(matmul_cost(matmul(420), DType::kFp16, p).interval, p.clock);
}
double widest(const model::TensorParams& p) {
  return ns(model::streaming_cycles(p.moving_columns, 1), p.clock);
}
double weight_load(const model::TensorParams& p) {
  return ns(weight_cost(tiles(Opcode::kLoadWeights, 128), p).complete, p.clock);
}
double weights_to_matmul(const model::TensorParams& p) {
  return ns(weight_cost(tiles(Opcode::kLoadWeights, 128), p).to_matmul, p.clock);
}
double throttled_pitch(const model::TensorParams& p) {
  const Two two = issue(p, matmul(420), matmul(420));
  return (two.second.start - two.first.start).ns();
}
double throttled_latency(const model::TensorParams& p) {
  const model::Issue first = issue(p, matmul(420), matmul(420)).first;
  return (first.complete - first.start).ns();
}
double load_behind(const model::TensorParams& p) {
  const Two two = issue(p, matmul(420), tiles(Opcode::kLoadWeights, 128));
  return (two.second.start - two.first.start).ns();
}

// An instruction of another engine, start to next start or start to result.
enum class Of { kInterval, kResult };
std::function<double(const MachineParams&)> lane(EngineKind kind, const isa::Instruction& i,
                                                 isa::CostClass cost, Of what) {
  return [=](const MachineParams& m) {
    const model::CoreParams& core = m.chip.core;
    const model::Occupancy o = model::lane_law(cost)(i, kind, core);
    const base::Frequency clock = kind == EngineKind::kVector   ? core.vector.clock
                                  : kind == EngineKind::kScalar ? core.scalar.clock
                                                                : core.gpsimd.clock;
    return ns(what == Of::kInterval ? o.issue : o.complete, clock);
  };
}

isa::Instruction exponential() {
  isa::Instruction i = tiles(Opcode::kActivation, 128, DType::kBf16);
  i.func = isa::ActFn::kExp;
  return i;
}
isa::Instruction reduction() {
  isa::Instruction i = tiles(Opcode::kTensorScalarReduce, 128, DType::kFp32);
  i.result.present = true;
  return i;
}

}  // namespace

std::vector<Witness> tensor_witnesses() {
  return {
      {"tensor.clock", of(interval), 177.5, "silicon: matmul pitch, fp16 N=420"},
      {"tensor.rows", of(latency), 340.417, "silicon 340.83: matmul latency, fp16 N=420"},
      {"tensor.columns", of(latency), 340.417, "silicon 340.83: matmul latency, fp16 N=420"},
      {"tensor.moving_columns", of(widest), 213.333, "documented: 512 columns at 2.4 GHz"},
      {"tensor.issue_overhead", of(interval), 177.5, "silicon: matmul pitch, fp16 N=420"},
      {"tensor.tile_pitch", of(tile_pitch), 2.5, "assumed: 6 cycles"},
      {"tensor.pipeline_latency", of(latency), 340.417, "silicon 340.83: matmul latency, fp16 N=420"},
      {"tensor.weight_load_latency", of(weight_load), 95.0, "silicon: weight load, fp16 contiguous"},
      {"tensor.weight_to_matmul", of(weights_to_matmul), 30.833,
       "silicon: weight load's start to its matmul"},
      {"tensor.back_to_back", of(load_behind), 1.667, "silicon: matmul's start to the weight load behind it"},
      {"tensor.throttle", of(throttled_pitch), 355.0, "silicon 350: matmul pitch, fp16 N=420, throttled"},
      {"tensor.throttle_window", of(released), 3200.0, "inferred window, continuous work from time zero"},
      {"tensor.throttle_phase", of(released), 3200.0, "one phase for all runs"},
      {"tensor.throttle_latency", of(throttled_latency), 555.417,
       "silicon 555.83: matmul latency, N=420, throttled"},
  };
}

std::vector<Witness> lane_witnesses() {
  using isa::CostClass;
  const isa::Instruction add = tiles(Opcode::kTensorTensor, 1000, DType::kFp32),
                         copy = tiles(Opcode::kTensorCopy, 128, DType::kFp32),
                         iota = tiles(Opcode::kIota, 128);
  const auto vector = [](const isa::Instruction& i, CostClass cost, Of what) {
    return lane(EngineKind::kVector, i, cost, what);
  };
  const auto scalar = [](const isa::Instruction& i, CostClass cost, Of what) {
    return lane(EngineKind::kScalar, i, cost, what);
  };
  const auto gpsimd = [&](Of what) {
    return lane(EngineKind::kGpSimd, iota, CostClass::kGpSimdPattern, what);
  };
  return {
      {"vector.clock", vector(add, CostClass::kTwoInput, Of::kResult), 1198.958,
       "silicon 1200..1202: add, N=1000"},
      {"vector.issue_overhead", vector(add, CostClass::kTwoInput, Of::kInterval), 1104.167,
       "1000 + 60 cycles"},
      {"vector.latency", vector(add, CostClass::kTwoInput, Of::kResult), 1198.958,
       "silicon 1200..1202: add, N=1000"},
      {"vector.fast_modes", vector(tiles(Opcode::kTensorCopy, 128), CostClass::kElementwise, Of::kInterval),
       95.833, "documented: four 16-bit elements a cycle"},
      {"scalar.clock", scalar(copy, CostClass::kElementwise, Of::kInterval), 156.667,
       "silicon: copy, N=128, pitch"},
      {"scalar.issue_overhead", scalar(copy, CostClass::kElementwise, Of::kInterval), 156.667,
       "silicon: copy, N=128, pitch"},
      {"scalar.latency", scalar(copy, CostClass::kElementwise, Of::kResult), 265.833, "silicon: copy, N=128"},
      {"scalar.activate_latency", scalar(exponential(), CostClass::kActivation, Of::kResult), 395.0,
       "silicon 400 +-10: exp, N=128"},
      {"scalar.table_load",
       [](const MachineParams& m) {
         const auto& p = m.chip.core.scalar;
         return ns(model::table_switch(isa::ActFn::kExp, isa::kNoTableSet, p).cycles, p.clock);
       },
       1283.333, "silicon: 10 of 10 loads"},
      {"scalar.accumulator_read", scalar(reduction(), CostClass::kScalarReduce, Of::kInterval), 210.0,
       "published: N and 64 cycles, beyond the overhead of every instruction"},
      {"gpsimd.clock", gpsimd(Of::kInterval), 231.667, "published: 150 + N cycles"},
      {"gpsimd.issue_overhead", gpsimd(Of::kInterval), 231.667, "published: 150 + N cycles"},
      {"gpsimd.latency", gpsimd(Of::kResult), 263.333, "assumed: as the vector engine's"},
  };
}

}  // namespace tahoma::tests
