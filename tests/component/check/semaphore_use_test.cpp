// SPDX-License-Identifier: Apache-2.0
// The use of semaphores by programs: every kind of wait and update, all 256, on completion and on read.
#include <catch2/catch.hpp>

#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::StallReason, base::Duration, base::EngineKind;
using model::Mode;

namespace {

const std::string kHead = ".program p\n.args in out\n";

base::RunMeasurement run(const std::string& text) {
  model::System system(machine_of(1, 1, 1), Mode::kTiming);
  system.load(0, text_program(kHead + text), tensor_arguments());
  return system.run();
}

// The start of an engine's first instruction, in femtoseconds.
std::int64_t start_of(EngineKind kind, const std::string& text) {
  const std::string start =
      in_child([&] { return std::to_string(engine_of(run(text), 0, kind).first_start.fs); });
  INFO(start);
  return std::stoll(start);
}

}  // namespace

TEST_CASE("sem_wait and sem_set: equality, at least, a register, subtractions and settings order engines",
          "[system]") {
  const auto m = machine_of(1, 1, 1);
  const auto& q = m.chip.core.sequencer;
  const auto result = run(R"(sync:
  sem_set update=s9+=5
  sem_set update=s9-=3
  sem_set update=s9=40
vector:
  reg_set d=r7 imm=40
  sem_wait wait=s9==5
scalar:
  sem_wait wait=s9==2
gpsimd:
  reg_set d=r7 imm=40
  sem_wait wait=s9>=r7
)");
  // The sync engine's values appear when each of its three instructions ends; a waiter starts one wake-up
  // later.
  const base::Clock base(q.clock), lanes(m.chip.core.vector.clock);
  const auto value = [&](std::int64_t before) {
    return base.edge(
        {before * (q.sync.update.count + q.sync.gap.count) + q.sync.update.count + q.sync.raise.count});
  };
  const auto end = [&](const base::Clock& clock, std::int64_t before, const model::SequencerTiming& timing) {
    return clock.edge(clock.at_or_after(value(before) + clock.length(timing.wake)) + timing.wait);
  };
  // The vector engine's register is set only some time after the first value has appeared.
  CHECK(engine_of(result, 0, EngineKind::kVector).last_end ==
        lanes.length({q.vector.step.count + q.vector.wait.count}));
  CHECK(engine_of(result, 0, EngineKind::kScalar).last_end == end(base, 1, q.scalar));
  CHECK(engine_of(result, 0, EngineKind::kGpSimd).last_end == end(base, 2, q.gpsimd));
}

TEST_CASE("semaphore use: all 256 exist and are distinct", "[system]") {
  std::string sync = "sync:\n", vector = "vector:\n";
  for (int s = 0; s < 256; ++s) {
    const std::string name = "s" + std::to_string(s);
    sync += "  sem_set update=" + name + "+=" + std::to_string(s + 1) + "\n";
    vector += "  sem_wait wait=" + name + "==" + std::to_string(s + 1) + "\n";
  }
  CHECK(run(sync + vector).instructions == 512);
}

TEST_CASE("semaphore use: on read, a consumer may overwrite a source when the instruction has streamed it",
          "[system]") {
  const auto m = machine_of(1, 1, 1);
  const auto& core = m.chip.core;
  const auto text = [](const char* update) {
    return std::string(
               "vector:\n  tensor_copy shape=128x96 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x400]:fp32 "
               "update=s0+=1") +
           update + "\nscalar:\n  sem_wait wait=s0>=1\n";
  };
  // 8 cycles and the 2 of a result until the value, on the next edge of the base clock, and 25 to the
  // stand-alone wait.
  const base::Clock clock(core.vector.clock), base(core.sequencer.clock);
  const auto handed_over = [&](base::Cycles ended) {
    return base.edge(base.at_or_after(clock.edge(ended) + clock.length({8 + 2})) + base::Cycles{25}).fs;
  };
  CHECK(start_of(EngineKind::kScalar, text("@read")) ==
        handed_over(base::Cycles{96} + core.vector.issue_overhead));
  CHECK(start_of(EngineKind::kScalar, text("")) ==
        handed_over(base::Cycles{96} + core.vector.issue_overhead + clock.nearest(core.vector.latency)));
}

TEST_CASE("semaphore use: on read, a later instruction's update waits for earlier instructions", "[system]") {
  // A long copy, then a register instruction that completes at once: reads are in order.
  const std::string copy =
      "vector:\n  tensor_copy shape=128x1000 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x1000]:fp32";
  const std::string wait = "\nscalar:\n  sem_wait wait=s0>=1\n";
  const auto alone = start_of(EngineKind::kScalar, copy + " update=s0+=1@read" + wait);
  const auto behind = start_of(EngineKind::kScalar, copy + "\n  reg_set d=r0 imm=1 update=s0+=1@read" + wait);
  CHECK(behind >= alone);
  CHECK(behind < start_of(EngineKind::kScalar, copy + "\n  reg_set d=r0 imm=1 update=s0+=1" + wait));
}

TEST_CASE("semaphore use: on read, a transfer notifies earlier by the time of its writes", "[system]") {
  const auto m = machine_of(1, 1, 1);
  const auto text = [](const char* update) {
    return std::string("sync:\n  dma_copy shape=128x512 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1") +
           update + "\nscalar:\n  sem_wait wait=s0>=16\n";
  };
  const auto earlier = start_of(EngineKind::kScalar, text("")) - start_of(EngineKind::kScalar, text("@read"));
  const base::Clock base(m.chip.core.sequencer.clock);  // the engine wakes at one of its edges
  CHECK(std::abs(earlier - m.chip.core.dma.write_sbuf.fs) < base.length({1}).fs);
}

TEST_CASE("semaphore use: a matmul's update on read does not wait for the array's pipeline", "[system]") {
  const auto m = machine_of(1, 1, 1);
  const auto text = [](const char* update) {
    return std::string(
               "tensor:\n  load_weights shape=128x128 src=sbuf[0, 0x0]:bf16\n"
               "  matmul shape=128x512 columns=128 dst=psum[0, 0x0]:fp32 src=sbuf[0, 0x400]:bf16 "
               "update=s0+=1") +
           update + "\nscalar:\n  sem_wait wait=s0>=1\n";
  };
  const auto read = start_of(EngineKind::kScalar, text("@read")),
             complete = start_of(EngineKind::kScalar, text(""));
  CHECK(read < complete);
  CHECK(complete - read < (m.chip.core.tensor.pipeline_latency + m.chip.core.tensor.throttle_latency).fs);
}
