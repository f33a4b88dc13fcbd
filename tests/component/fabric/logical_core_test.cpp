// SPDX-License-Identifier: Apache-2.0
// Two physical cores as one logical core: swapped values, and the times at which both go on.
#include <catch2/catch.hpp>

#include "isa/core/program_error.h"
#include "model/base/error.h"
#include "model/engine/sequencer/rendezvous.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::StallReason, base::Duration, base::EngineKind;
using Catch::Contains;
using model::Mode;

namespace {

model::MachineParams pairs() {
  auto m = machine_of(1, 1, 1);
  m.chip.lnc = 2;
  return m;
}

const std::string kHead = ".program p\n.args in out\n";

// Loads 128 x 64 words, swaps them with the other core, and stores the received words.
std::string swapping(const std::string& how) {
  return kHead + R"(sync:
  dma_copy shape=128x64 dst=sbuf[0, 0x0]:int32 src=in:int32 update=s0+=1
  dma_copy shape=128x64 dst=out:int32 src=sbuf[0, 0x400]:int32 wait=s1>=1
gpsimd:
  sendrecv shape=128x64 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32 )" +
         how + " wait=s0>=16 update=s1+=1\n";
}

}  // namespace

TEST_CASE("sendrecv: swaps tiles, in both directions at once", "[system]") {
  model::System system(pairs(), Mode::kFunctional);
  const auto program = text_program(swapping(""));
  // cores 2 and 3 share a stack; each has its own tensors
  for (std::uint32_t core : {2U, 3U}) {
    auto arguments = tensor_arguments();
    for (std::uint64_t a : {0, 1}) arguments[a] = isa::GlobalAddress{0, 1, (core * 2 + a) << 16}.bits();
    for (std::int32_t n = 0; n < 128 * 64; ++n) {
      const std::int32_t value = n * 10 + static_cast<std::int32_t>(core);
      std::memcpy(system.hbm(arguments[0], 1 << 15) + 4 * n, &value, 4);
    }
    system.load(core, program, arguments);
  }
  system.run();
  for (std::uint32_t core : {2U, 3U})
    for (std::int32_t n = 0; n < 128 * 64; ++n) {
      std::int32_t value = 0;
      std::memcpy(&value, system.hbm(isa::GlobalAddress{0, 1, (core * 2 + 1) << 16}.bits(), 1 << 15) + 4 * n,
                  4);
      REQUIRE(value == n * 10 + static_cast<std::int32_t>(core ^ 1U));
    }
}

TEST_CASE("core_barrier: both cores go on at the later arrival plus the hand-over, and the wait has a name",
          "[system]") {
  const auto m = pairs();
  model::System system(m, Mode::kTiming);
  system.load(
      0,
      text_program(kHead + "gpsimd:\n  memset shape=128x512 dst=sbuf[0, 0x0]:fp32 value=1\n  core_barrier\n"),
      tensor_arguments());
  system.load(1, text_program(kHead + "vector:\n  core_barrier\n"), tensor_arguments());
  const auto run = system.run();
  const auto& early = engine_of(run, 1, EngineKind::kVector);
  const auto& late = engine_of(run, 0, EngineKind::kGpSimd);
  // memset on GpSimd: its start-up, 512 elements, and its latency until they are visible
  const base::Clock clock(m.chip.core.gpsimd.clock);
  const Duration arrival = clock.length(m.chip.core.gpsimd.issue_overhead + base::Cycles{512} +
                                        clock.nearest(m.chip.core.gpsimd.latency));
  CHECK(named(early, StallReason::kWaitCore) == arrival);
  CHECK(named(late, StallReason::kWaitCore) == Duration{0});
  CHECK(early.last_end == arrival + m.chip.core.rendezvous.barrier);
  CHECK(late.last_end == early.last_end);
  CHECK(named(early, StallReason::kHandover) == m.chip.core.rendezvous.barrier);
}

TEST_CASE("logical core: the n-th arrivals are paired, separately for each pipe and kind", "[system]") {
  const auto m = pairs();
  model::System system(m, Mode::kTiming);
  const auto program = [](const std::string& first, const std::string& second) {
    return text_program(kHead + "vector:\n" + first + "scalar:\n" + second);
  };
  const std::string a = "  core_barrier pipe=1\n  core_barrier pipe=1\n", b = "  core_barrier pipe=2\n";
  system.load(4, program(a, b), tensor_arguments());
  system.load(5, program(b, a), tensor_arguments());
  CHECK(system.run().elapsed == m.chip.core.rendezvous.barrier * 2);
}

TEST_CASE("logical core: a swap takes its latency and its bytes over the bandwidth of its path", "[timing]") {
  const auto m = pairs();
  const model::CoreParams& core = m.chip.core;
  isa::Instruction i;
  i.op = isa::Opcode::kSendRecv;
  i.shape = {100, {1, 1, 2, 64}};
  i.src0.dtype = i.dst.dtype = isa::DType::kBf16;
  i.gpsimd_dma = true;
  const Duration bytes = base::Bandwidth{153'000'000'000, false}.time_for({100 * 128 * 2});
  CHECK(model::swap_time(i, core) == core.rendezvous.gpsimd_latency + bytes);
  i.gpsimd_dma = false;
  // 7 rows of 256 bytes on the busiest of 16 engines, 8 cycles and an overhead of 3 each
  const base::Clock clock(core.dma.clock);
  const model::DmaParams& d = core.dma;
  CHECK(model::swap_time(i, core) == d.doorbell_sync + d.start_up + d.skew_half + d.skew_far * 7 +
                                         clock.length({7 * (8 + 3) + 1}) + d.write_sbuf + d.semaphore_write -
                                         d.semaphore_return);
}

TEST_CASE("logical core: a swap takes the same time in both modes", "[system]") {
  const auto times = [](Mode mode) {
    return in_child([mode] {
      model::System system(pairs(), mode);
      for (std::uint32_t core : {0U, 1U})
        system.load(core, text_program(swapping("gpsimd_dma")), tensor_arguments());
      return times_of(system.run());
    });
  };
  const std::string timing = times(Mode::kTiming);
  CHECK_THAT(timing, Contains("elapsed"));
  CHECK(timing == times(Mode::kFunctional));
}

TEST_CASE("logical core: a core that never arrives ends the run, and both are named", "[system]") {
  model::System system(pairs(), Mode::kTiming);
  system.load(2, text_program(kHead + "vector:\n  core_barrier pipe=3\n"), tensor_arguments());
  system.load(
      3,
      text_program(kHead +
                   "vector:\n  core_barrier pipe=4\nscalar:\n  sem_wait wait=s0>=1\n  core_barrier pipe=3\n"),
      tensor_arguments());
  try {
    system.run();
    FAIL("a rendezvous of one core ended");
  } catch (const base::UserError& e) {
    CHECK(e.status == base::ExitStatus::kNoProgress);
    CHECK(e.code == "E-RUN-051");
    CHECK_THAT(
        e.what(),
        Contains("core2.vector[0] core_barrier waits for core3 on pipe 3; would still arrive: scalar"));
    CHECK_THAT(e.what(), Contains("core3.vector[0] core_barrier waits for core2 on pipe 4; no remaining"));
  }
}

TEST_CASE("logical core: separate physical cores have no rendezvous", "[system]") {
  model::System system(machine_of(1, 1, 1), Mode::kTiming);
  system.load(0, text_program(kHead + "vector:\n  core_barrier\n"), tensor_arguments());
  CHECK_THROWS_WITH(system.run(),
                    Contains("E-RUN-045") && Contains("vector[0] core_barrier") && Contains("lnc"));
}

TEST_CASE("logical core: two sides of a swap that do not match are refused", "[system]") {
  model::System system(pairs(), Mode::kTiming);
  const auto program = [](const char* shape) {
    return text_program(kHead + "vector:\n  sendrecv shape=" + shape +
                        " dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x400]:fp32\n");
  };
  system.load(0, program("128x64"), tensor_arguments());
  system.load(1, program("128x32"), tensor_arguments());
  CHECK_THROWS_WITH(system.run(),
                    Contains("E-RUN-046") && Contains("core0.vector[0]") && Contains("core1.vector[0]"));
}

TEST_CASE("logical core: cores that do not form pairs are refused", "[config]") {
  auto m = pairs();
  m.chip.cores = 5;
  CHECK_THROWS_WITH(m.check(), Contains("E-CFG-020") && Contains("machine.chip.lnc"));
}
