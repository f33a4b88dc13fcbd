// SPDX-License-Identifier: Apache-2.0
// The tensor engine compared with silicon, in cycles of the array: pairs of load_weights and matmul as the
// convolutions of the trn2 device profiles issue them, through the isolated pipeline. Figures are medians of
// the profiles; where the model is not exact, the bound states the allowed deviation.
#include <catch2/catch.hpp>

#include "model/engine/pipeline/pipeline.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using base::Clock;
using isa::DType;
using isa::Instruction;
using isa::Opcode;

namespace {

Instruction load(DType dtype, std::int16_t stride = 1) {
  Instruction i;
  i.op = Opcode::kLoadWeights;
  i.shape = {128, {1, 1, 1, 128}};
  i.src0 = {isa::Space::kSbuf, dtype, 0, 0, {0, 0, 0, stride}};
  return i;
}

// `rows` runs of `run` elements, `pitch` elements apart.
Instruction matmul(DType dtype, std::uint16_t rows, std::uint16_t run, std::int16_t pitch,
                   std::uint32_t offset = 0) {
  Instruction i;
  i.op = Opcode::kMatmul;
  i.shape = {128, {1, 1, rows, run}};
  i.columns = 128;
  i.src0 = {isa::Space::kSbuf, dtype, 0, offset, {0, 0, pitch, 1}};
  i.dst = {isa::Space::kPsum, DType::kFp32, 0, 0, {0, 0, static_cast<std::int16_t>(run), 1}};
  return i;
}

Instruction rows_of_14(DType dtype, std::uint32_t offset = 0) { return matmul(dtype, 30, 14, 16, offset); }

Instruction transpose(DType dtype) {
  Instruction i = matmul(dtype, 1, 128, 128);
  i.op = Opcode::kTranspose;
  return i;
}

// One of the two instructions that silicon issues for fp32: two passes.
Instruction half_of_fp32() {
  Instruction i = rows_of_14(DType::kFp32);
  i.mode = isa::MatmulMode::kOneZeroMoving;
  return i;
}

model::TensorParams silicon_params(bool throttled = false) {
  model::TensorParams p = tests::default_machine().chip.core.tensor;
  p.throttle = throttled;
  if (throttled) p.throttle_share = 100;  // permanently
  return p;
}

struct Span {
  std::int64_t start, latency;
};

class Engine {
 public:
  explicit Engine(const model::TensorParams& p)
      : params_(p), clock_(p.clock), pipeline_(model::make_tensor_pipeline(params_)) {}

  // An instruction that the sequencer receives as soon as the previous one allows, or from `decoded` on, and
  // that may start at `dispatch`.
  Span issue(const Instruction& i) { return issue(i, next_, next_); }
  Span issue(const Instruction& i, std::int64_t decoded, std::int64_t dispatch) {
    pipeline_->decoded(clock_.edge({decoded}));
    const model::Issue issue = pipeline_->issue(i, clock_.edge({dispatch}), ledger_);
    const auto cycle = [&](base::Time t) { return clock_.at_or_after(t).count; };
    next_ = cycle(issue.next);
    return {cycle(issue.start), cycle(issue.complete) - cycle(issue.start)};
  }

 private:
  model::TensorParams params_;
  Clock clock_;
  std::unique_ptr<model::Pipeline> pipeline_;
  model::Ledger ledger_;
  std::int64_t next_ = 0;
};

struct Steady {
  std::int64_t interval, latency, load_behind, load_latency;
};
// Consecutive pairs; returns the fifth and the sixth.
Steady steady(const Instruction& weights, const Instruction& moving, bool throttled = false) {
  Engine engine(silicon_params(throttled));
  for (int n = 0; n < 4; ++n) {
    engine.issue(weights);
    engine.issue(moving);
  }
  engine.issue(weights);
  const Span fifth = engine.issue(moving), load = engine.issue(weights), sixth = engine.issue(moving);
  return {sixth.start - fifth.start, sixth.latency, load.start - fifth.start, load.latency};
}

struct Alone {
  std::int64_t load_latency, to_matmul, matmul_latency;
};
// A pair on an idle array; the load waits for `waited` cycles after it has been decoded.
Alone alone(const Instruction& weights, const Instruction& moving, std::int64_t waited,
            bool throttled = false) {
  Engine engine(silicon_params(throttled));
  const Span load = engine.issue(weights, 10'000, 10'000 + waited), user = engine.issue(moving);
  return {load.latency, user.start - load.start, user.latency};
}

}  // namespace

TEST_CASE("tensor silicon: 16-bit matmuls follow each other N + 6 cycles apart and take N + 398",
          "[timing]") {
  for (const DType dtype : {DType::kFp16, DType::kBf16}) {
    const Steady conv = steady(load(dtype), rows_of_14(dtype));
    CHECK(conv.interval == 426);
    CHECK(conv.latency == 818);
    const Steady turn = steady(load(dtype), transpose(dtype));
    CHECK(turn.interval == 134);
    CHECK(turn.latency == 526);
    const Steady wide = steady(load(dtype), matmul(dtype, 2, 222, 224));
    CHECK(wide.interval == Approx(448).epsilon(0.005));
    CHECK(wide.latency == 842);
  }
}

TEST_CASE("tensor silicon: each run of 16-bit elements that starts at 2 mod 4 costs two cycles", "[timing]") {
  const Steady conv = steady(load(DType::kFp16), rows_of_14(DType::kFp16, 2));
  CHECK(conv.interval == 486);
  CHECK(conv.latency == 878);
  CHECK(steady(load(DType::kFp16), rows_of_14(DType::kFp16, 4)).interval == 426);
  CHECK(steady(load(DType::kFp16), matmul(DType::kFp16, 2, 222, 224, 2)).latency == 846);
}

TEST_CASE("tensor silicon: an fp32 matmul is two instructions of 2N + 6 cycles", "[timing]") {
  const Steady half = steady(load(DType::kFp32), half_of_fp32());
  CHECK(half.interval == 846);
  CHECK(half.latency == Approx(1236).epsilon(0.002));
  const Steady both = steady(load(DType::kFp32), rows_of_14(DType::kFp32));
  CHECK(both.interval == 2 * 846);
  CHECK(both.latency == Approx(2082).epsilon(0.002));
  const Steady turn = steady(load(DType::kUint32), transpose(DType::kFp32));
  CHECK(turn.interval == 262);
  CHECK(turn.latency == 654);
}

TEST_CASE("tensor silicon: the next weights load four cycles behind a matmul's start, and hide behind it",
          "[timing]") {
  const auto behind = [](const Instruction& weights, const Instruction& moving, std::int64_t latency,
                         double within) {
    const Steady s = steady(weights, moving);
    CHECK(s.load_behind == 4);
    CHECK(s.load_latency == Approx(latency).epsilon(within));
  };
  behind(load(DType::kFp32), half_of_fp32(), 454, 0);
  behind(load(DType::kFp16), rows_of_14(DType::kFp16), 234, 0.02);
  behind(load(DType::kFp16, 9), rows_of_14(DType::kFp16), 330, 0.015);
  behind(load(DType::kFp32, 9), half_of_fp32(), 754, 0.01);
  behind(load(DType::kUint32), transpose(DType::kFp32), 338, 0.04);
}

TEST_CASE("tensor silicon: with nothing to hide behind, the matmul starts 74 cycles after its load",
          "[timing]") {
  const Alone fp16 = alone(load(DType::kFp16), transpose(DType::kFp16), 0);
  CHECK(fp16.load_latency == 230);
  CHECK(fp16.to_matmul == 74);
  CHECK(fp16.matmul_latency == Approx(518).epsilon(0.016));
  const Alone fp32 = alone(load(DType::kUint32), transpose(DType::kFp32), 0);
  CHECK(fp32.load_latency == Approx(330).epsilon(0.015));
  CHECK(fp32.to_matmul == 74);
  CHECK(fp32.matmul_latency == Approx(720).epsilon(0.015));
}

TEST_CASE(
    "tensor silicon: behind a load that has waited, the matmul starts at once and waits for its weights",
    "[timing]") {
  const Alone fp16 = alone(load(DType::kFp16), transpose(DType::kFp16), 500);
  CHECK(fp16.to_matmul == 10);
  CHECK(fp16.matmul_latency == 552);
  const Alone fp32 = alone(load(DType::kUint32), transpose(DType::kFp32), 500);
  CHECK(fp32.to_matmul == 6);
  CHECK(fp32.matmul_latency == Approx(788).epsilon(0.015));
  // A load is decoded 64 cycles before it starts; its matmul is decoded 10 cycles after the load starts.
  CHECK(alone(load(DType::kFp16), transpose(DType::kFp16), 60).to_matmul == 14);
  CHECK(alone(load(DType::kFp16), transpose(DType::kFp16), 64).to_matmul == 10);
}

TEST_CASE("tensor silicon: slow weights hold their matmul, and the next one with it", "[timing]") {
  // Convolution v4 in fp32: strided weights after a transpose.
  Engine engine(silicon_params());
  for (int n = 0; n < 4; ++n) {
    engine.issue(load(DType::kUint32));
    engine.issue(transpose(DType::kFp32));
  }
  const Span weights = engine.issue(load(DType::kFp32, 9)), held = engine.issue(half_of_fp32());
  CHECK(held.start - weights.start == 258);
  CHECK(held.latency == Approx(1538).epsilon(0.003));
  engine.issue(load(DType::kFp32, 9));
  CHECK(engine.issue(half_of_fp32()).start - held.start == Approx(1148).epsilon(0.005));
}

TEST_CASE("tensor silicon: the shadow registers are free once a first row has used the weights", "[timing]") {
  Engine engine(silicon_params(true));
  engine.issue(load(DType::kFp32));
  const Span first = engine.issue(half_of_fp32()), second = engine.issue(half_of_fp32());
  CHECK(second.start == first.start + first.latency - 398 - 96);  // the queue is full
  // After the second matmul with these weights the array is free: 2 x 256 cycles of shifting.
  CHECK(engine.issue(load(DType::kFp32)).latency == 2 * 256 + 198);
  engine.issue(half_of_fp32());
  CHECK(engine.issue(load(DType::kFp32)).latency > 2 * 256 + 198);
}

TEST_CASE("tensor silicon: throttled matmuls follow each other exactly twice their columns apart",
          "[timing]") {
  const auto throttled = [](const Instruction& weights, const Instruction& moving) {
    return steady(weights, moving, true);
  };
  const Steady fp16 = throttled(load(DType::kFp16), rows_of_14(DType::kFp16));
  CHECK(fp16.interval == 840);
  CHECK(fp16.latency == Approx(1312).epsilon(0.02));
  const Steady misaligned = throttled(load(DType::kFp16), rows_of_14(DType::kFp16, 2));
  CHECK(misaligned.interval == 840);  // the reader has enough time
  CHECK(misaligned.latency == 1334);
  CHECK(misaligned.load_latency == Approx(362).epsilon(0.025));
  const Steady fp32 = throttled(load(DType::kFp32), rows_of_14(DType::kFp32));
  CHECK(fp32.interval == 3360);
  CHECK(fp32.latency == Approx(1680 + 2170).epsilon(0.002));
  CHECK(fp32.load_latency == Approx(798).epsilon(0.006));
  const Steady turn = throttled(load(DType::kUint32), transpose(DType::kFp32));
  CHECK(turn.interval == 512);
  CHECK(turn.latency == Approx(1010).epsilon(0.005));
  CHECK(turn.load_latency == Approx(554).epsilon(0.02));
  CHECK(throttled(load(DType::kFp16), transpose(DType::kFp16)).interval == 256);
}

TEST_CASE("tensor silicon: an idle, throttled array takes twice as long to load and to stream", "[timing]") {
  const Alone fp16 = alone(load(DType::kFp16), transpose(DType::kFp16), 0, true);
  CHECK(fp16.load_latency == Approx(252).epsilon(0.05));
  CHECK(fp16.matmul_latency == Approx(638).epsilon(0.03));
  const Alone waited = alone(load(DType::kFp16), transpose(DType::kFp16), 500, true);
  CHECK(waited.matmul_latency == Approx(691).epsilon(0.035));
  const Alone fp32 = alone(load(DType::kUint32), transpose(DType::kFp32), 0, true);
  CHECK(fp32.load_latency == Approx(438).epsilon(0.04));
  CHECK(fp32.matmul_latency == Approx(1074).epsilon(0.025));
}

TEST_CASE("tensor silicon: continuous work from time zero is released when the first window ends",
          "[timing]") {
  model::TensorParams params = tests::default_machine().chip.core.tensor;
  params.throttle_phase = {0};
  Engine engine(params);
  std::int64_t through = 0;  // the columns of the previous matmul have entered
  bool released = false;
  while (!released) {
    engine.issue(load(DType::kFp16));
    const Span m = engine.issue(rows_of_14(DType::kFp16));
    const std::int64_t entered = m.start + m.latency - 398, before = 8192 - through;
    released = entered > 8192;
    if (released) CHECK(entered == 8192 + 420 - before / 2);
    through = entered;
  }
  CHECK(through < 8192 + 420);
}
