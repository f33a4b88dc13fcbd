// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/pipeline.h"
#include "model/engine/pipeline/throttle.h"
#include "model/engine/pipeline/timing_laws.h"
#include "tests/support/witness/witness.h"
#include "tests/support/witness/witness_tiles.h"

namespace tahoma::tests {
namespace {

using base::Cycles, base::Time;
using isa::DType, isa::Opcode;
using model::TensorParams, model::TensorTiming;

std::function<double(const model::MachineParams&)> of(double (*law)(const TensorParams&)) {
  return [law](const model::MachineParams& m) { return law(m.chip.core.tensor); };
}

isa::Instruction in_psum(isa::Instruction i) {
  i.dst.space = isa::Space::kPsum;
  i.dst.dtype = DType::kFp32;
  return i;
}
isa::Instruction matmul() { return in_psum(witness_tiles(Opcode::kMatmul, 420, DType::kFp16)); }
isa::Instruction weights(DType dtype) { return witness_tiles(Opcode::kLoadWeights, 128, dtype); }

// Instructions that arrive as early as possible, or the first at `dispatch` although decoded at time zero.
std::vector<model::Issue> issue(const TensorParams& p, const std::vector<isa::Instruction>& all,
                                Time dispatch = {0}) {
  const auto pipeline = model::make_tensor_pipeline(p);
  model::Ledger ledger;
  std::vector<model::Issue> issues;
  Time decoded{0};
  for (const isa::Instruction& i : all) {
    pipeline->decoded(decoded);
    issues.push_back(pipeline->issue(i, dispatch, ledger));
    decoded = dispatch = issues.back().next;
  }
  return issues;
}
TensorParams unthrottled(TensorParams p) {
  p.throttle = false;
  return p;
}

double interval(const TensorParams& p) {
  return length_ns(matmul_cost(matmul(), {}, TensorTiming(p)).interval, p.clock);
}
double misaligned(const TensorParams& p) {
  isa::Instruction i = matmul();
  i.shape.count = {1, 1, 30, 14};
  i.src0.stride = {0, 0, 16, 1};
  i.src0.offset = 2;
  return length_ns(matmul_cost(i, {}, TensorTiming(p)).interval, p.clock);
}
double latency(const TensorParams& p) {
  const model::MatmulCost cost = matmul_cost(matmul(), {}, TensorTiming(p));
  return length_ns(cost.streaming + cost.latency, p.clock);
}
double widest(const TensorParams& p) {
  return length_ns(model::streaming_cycles(p.moving_columns, 1), p.clock);
}

double load(const TensorParams& p) { return issue(unthrottled(p), {weights(DType::kFp16)})[0].complete.ns(); }
double start_behind(const TensorParams& p, const isa::Instruction& first, const isa::Instruction& second,
                    Time dispatch) {
  const auto issues = issue(unthrottled(p), {first, second}, dispatch);
  return (issues[1].start - issues[0].start).ns();
}
double matmul_behind_load(const TensorParams& p) {
  return start_behind(p, weights(DType::kFp16), matmul(), {0});
}
double load_behind_matmul(const TensorParams& p) {
  return start_behind(p, matmul(), weights(DType::kFp16), {0});
}
constexpr Time kLongAfter{1'000'000'000};
double behind_woken_load(const TensorParams& p) {
  return start_behind(p, weights(DType::kFp16), matmul(), kLongAfter);
}
double behind_woken_wide_load(const TensorParams& p) {
  return start_behind(p, weights(DType::kFp32), matmul(), kLongAfter);
}
double waits_for_weights(const TensorParams& p) {
  const isa::Instruction turn = in_psum(witness_tiles(Opcode::kTranspose, 128, DType::kFp32));
  return issue(unthrottled(p), {weights(DType::kFp32), turn})[1].complete.ns();
}
double tile_pitch(const TensorParams& p) {
  isa::Instruction a = matmul(), b = matmul();
  a.shape.partitions = b.shape.partitions = 64;
  b.src0.partition = 64;
  return start_behind(p, a, b, {0});
}

// The start of the fourth of four transposes of 128 columns.
double transposes(const TensorParams& p) {
  const isa::Instruction turn = in_psum(witness_tiles(Opcode::kTranspose, 128, DType::kFp16));
  return issue(unthrottled(p), {turn, turn, turn, turn})[3].start.ns();
}
double quads(const TensorParams& p) {
  isa::Instruction i = weights(DType::kFp8E4M3Fn);
  i.op = Opcode::kLoadWeightsMx;
  i.shape.count = {1, 4, 1, 128};
  i.src0.stride = {0, 1, 0, 4};
  return length_ns(model::weight_cost(i, TensorTiming(p)).read, p.clock);
}

double throttled_pitch(const TensorParams& p) {
  const auto issues = issue(p, {matmul(), matmul(), matmul()});
  return (issues[2].start - issues[1].start).ns();
}
double throttled_latency(const TensorParams& p) {
  const auto issues = issue(p, {matmul(), matmul()});
  return (issues[1].complete - issues[1].start).ns();
}
// Columns of a load from SBUF: in order, or every ninth element.
std::function<double(const model::MachineParams&)> columns(DType dtype, std::int16_t stride) {
  isa::Instruction load = weights(dtype);
  load.src0.stride = {0, 0, 0, stride};
  return [load](const model::MachineParams& m) {
    const TensorParams& p = m.chip.core.tensor;
    return length_ns(model::weight_cost(load, TensorTiming(p)).read, p.clock);
  };
}
model::Throttle throttle(const TensorParams& p) {
  const base::Clock clock(p.clock);
  return {p.throttle,       clock.nearest(p.throttle_window), clock.nearest(p.throttle_phase),
          p.throttle_share, static_cast<unsigned>(p.rows),    static_cast<unsigned>(p.latency_side)};
}
model::Throttle::Rows all(const TensorParams& p) { return {0, static_cast<unsigned>(p.rows)}; }
// The time at which continuous work from time zero gets full rate.
double release(const TensorParams& p) {
  model::Throttle t = throttle(p);
  Cycles now{0};
  while (t.throttled(now)) now = t.stream(now, {1}, all(p));
  return length_ns(now, p.clock);
}
// The fewest columns in a window that end the throttle.
double least_work(const TensorParams& p) {
  const Cycles window = base::Clock(p.clock).nearest(p.throttle_window);
  for (std::int64_t columns = 1;; ++columns) {
    model::Throttle t = throttle(p);
    const Cycles first = window - base::Clock(p.clock).nearest(p.throttle_phase);
    t.stream(first, {columns}, all(p));
    if (!t.throttled(first + window)) return static_cast<double>(columns);
  }
}

}  // namespace

std::vector<Witness> tensor_witnesses() {
  return {
      {"tensor.clock", of(interval), 177.5, "silicon: matmul pitch, fp16 N=420"},
      {"tensor.rows", of(latency), 340.833, "silicon: matmul latency, fp16 N=420"},
      {"tensor.columns", of(latency), 340.833, "silicon: matmul latency, fp16 N=420"},
      {"tensor.moving_columns", of(widest), 213.333, "documented: 512 columns at 2.4 GHz"},
      {"tensor.issue_overhead", of(interval), 177.5, "silicon: matmul pitch, fp16 N=420"},
      {"tensor.misaligned_run", of(misaligned), 202.5,
       "silicon: matmul pitch, fp16, 30 misaligned runs of 14"},
      {"tensor.tile_pitch", of(tile_pitch), 2.5, "assumed: 6 cycles"},
      {"tensor.pipeline_latency", of(latency), 340.833, "silicon: matmul latency, fp16 N=420"},
      {"tensor.latency_side", of(latency), 340.833, "silicon: matmul latency, fp16 N=420"},
      {"tensor.load_column", columns(DType::kFp16, 1), 13.333,
       "silicon: fp16 in order, 0.25 cycles a column"},
      {"tensor.load_column_strided", columns(DType::kFp16, 9), 53.333,
       "silicon: fp16 strided, 1 cycle a column"},
      {"tensor.fp32_load_column", columns(DType::kFp32, 1), 106.667,
       "silicon: fp32 in order, 2 cycles a column"},
      {"tensor.wide_load_column", columns(DType::kTf32, 1), 53.333, "assumed: 1 cycle a column"},
      {"tensor.mx_load_column", of(quads), 26.667, "derived: half a cycle a column of quads"},
      {"tensor.background_transpose", of(transposes), 170.0,
       "three intervals of 128 + 6 cycles, none in the background"},
      {"tensor.wide_load_column_strided", columns(DType::kFp32, 9), 229.583,
       "silicon: fp32 strided, 4.3 cycles a column"},
      {"tensor.weight_load_latency", of(load), 95.833, "silicon 95.0: weight load, fp16 contiguous"},
      {"tensor.weight_to_matmul", of(matmul_behind_load), 30.833,
       "silicon: weight load's start to its matmul"},
      {"tensor.weight_exchange", of(waits_for_weights), 380.833,
       "260 cycles to the weights, 256 and 398 of an fp32 transpose"},
      {"tensor.back_to_back", of(load_behind_matmul), 1.667, "silicon: matmul's start to the load behind it"},
      {"tensor.load_issue", of(behind_woken_load), 4.167, "silicon: load that waited to its matmul, fp16"},
      {"tensor.wide_load_issue", of(behind_woken_wide_load), 2.5, "silicon 1.67..2.5: the same, fp32"},
      {"tensor.throttle", of(throttled_pitch), 350.0, "silicon: matmul pitch, fp16 N=420, throttled"},
      {"tensor.throttle_window", of(release), 5760.0,
       "silicon: windows of 4096 cycles of 1.2 GHz; the end of the second"},
      {"tensor.throttle_phase", of(release), 5760.0, "two windows, less 5/16 of one"},
      {"tensor.throttle_share", of(least_work), 3523, "derived: 43 % of 8192 cycles"},
      {"tensor.throttle_latency", of(throttled_latency), 555.833,
       "silicon: matmul latency, N=420, throttled"},
  };
}

}  // namespace tahoma::tests
