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

const std::string kProgramHead = ".program p\n.args in out\n";

// Loads 128 x 64 words, swaps them with the other core, and stores the received words.
std::string swapping(const std::string& how) {
  return kProgramHead + R"(sync:
  dma_copy shape=128x64 dst=sbuf[0, 0x0]:int32 src=in:int32 update=s0+=1
  dma_copy shape=128x64 dst=out:int32 src=sbuf[0, 0x400]:int32 wait=s1>=1
gpsimd:
  sendrecv shape=128x64 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32 )" +
         how + " wait=s0>=16 update=s1+=1\n";
}

// A time of a run of cores 0 and 1 in a process of its own: a process has one machine.
template <class TimeOf>
Duration in_a_machine(const model::MachineParams& m, const std::shared_ptr<const isa::Program>& first,
                      const std::shared_ptr<const isa::Program>& second, TimeOf&& time_of) {
  return {std::stoll(in_child([&] {
    model::System system(m, Mode::kTiming);
    system.load(0, first, tensor_arguments());
    system.load(1, second, tensor_arguments());
    return std::to_string(time_of(system.run()).fs);
  }))};
}

// The time from the start of both cores' swaps to their end, beside other instructions of core 0, which may
// wait.
Duration time_of_swap(const model::MachineParams& m, const std::string& how, const std::string& beside = "",
                      const std::string& wait = "") {
  const auto swap = [&](const std::string& more) {
    return "gpsimd:\n  sendrecv shape=128x64 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32 " + how + more +
           "\n";
  };
  return in_a_machine(
      m, text_program(kProgramHead + beside + swap(" " + wait)), text_program(kProgramHead + swap("")),
      [](const auto& run) { return named(engine_of(run, 1, EngineKind::kGpSimd), StallReason::kBusy); });
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
  system.load(0,
              text_program(kProgramHead +
                           "gpsimd:\n  memset shape=128x512 dst=sbuf[0, 0x0]:fp32 value=1\n  core_barrier\n"),
              tensor_arguments());
  system.load(1, text_program(kProgramHead + "vector:\n  core_barrier\n"), tensor_arguments());
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
    return text_program(kProgramHead + "vector:\n" + first + "scalar:\n" + second);
  };
  const std::string a = "  core_barrier pipe=1\n  core_barrier pipe=1\n", b = "  core_barrier pipe=2\n";
  system.load(4, program(a, b), tensor_arguments());
  system.load(5, program(b, a), tensor_arguments());
  CHECK(system.run().elapsed == m.chip.core.rendezvous.barrier * 2);
}

TEST_CASE("logical core: a swap by GpSimd takes its latency and its bytes over the bandwidth of its path",
          "[timing]") {
  const auto m = pairs();
  const model::CoreParams& core = m.chip.core;
  isa::Instruction i;
  i.op = isa::Opcode::kSendRecv;
  i.shape = {100, {1, 1, 2, 64}};
  i.src0.dtype = i.dst.dtype = isa::DType::kBf16;
  i.gpsimd_dma = true;
  const Duration bytes = base::Bandwidth{153'000'000'000, false}.time_for({100 * 128 * 2});
  CHECK(model::gpsimd_swap_time(i, core) == core.rendezvous.gpsimd_latency + bytes);
}

TEST_CASE("logical core: a swap through the DMA engines takes the time of a transfer", "[timing]") {
  const auto m = pairs();
  const model::DmaParams& d = m.chip.core.dma;
  // 8 rows of 256 bytes on each of 16 engines, 8 cycles and an overhead of 3 each; the semaphore is an
  // element
  const Duration packet =
      base::Clock(d.clock).length(base::Cycles{8 * (8 + 3)} + d.packet_overhead + d.semaphore_element);
  const Duration skew = d.skew_half + d.skew_far * 7;
  const Duration read = packet + base::Clock(d.clock).length(d.read_overlap);
  const Duration done = d.write_sbuf + d.semaphore_write - d.semaphore_return;
  CHECK(time_of_swap(m, "").fs == (d.doorbell_sync + d.start_up + skew + read + done).fs);
}

TEST_CASE("logical core: a swap shares the DMA engines of both cores with their other transfers",
          "[timing]") {
  const auto m = pairs();
  // The swap starts in the middle of a load of 8 MiB.
  const std::string loads =
      "sync:\n  dma_copy shape=128x16384 dst=sbuf[0, 0x1000]:int32 src=in:int32\n"
      "vector:\n  memset shape=128x4096 dst=sbuf[0, 0x20000]:fp32 value=0 update=s5+=1\n";
  const auto beside = [&](const std::string& how) { return time_of_swap(m, how, loads, "wait=s5>=1"); };
  const Duration alone = time_of_swap(m, "");
  // Packets of the load and of the swap take turns, so the swap waits for those that fill the window and for
  // one more.
  const model::DmaParams& d = m.chip.core.dma;
  const Duration packet =
      base::Clock(d.clock).length(base::Cycles{4096 / 32} + d.element_overhead + d.packet_overhead);
  CHECK(beside("").fs > alone.fs);
  const auto before = static_cast<std::int64_t>(d.read_window.count / d.packet.count) + 1;
  CHECK(beside("").fs <= (alone + packet * before).fs);
  CHECK(beside("gpsimd_dma").fs == time_of_swap(m, "gpsimd_dma").fs);
}

TEST_CASE("logical core: between dies, signals take the crossing, and tiles its bandwidth", "[timing]") {
  const auto near = pairs();
  auto far = near;
  far.chip.dies = far.chip.cores;  // each core on a die of its own
  far.chip.noc.cross_die = Duration{40'000'000};
  const auto barrier = [](const model::MachineParams& m) {
    const auto program = text_program(kProgramHead + "vector:\n  core_barrier\n");
    return in_a_machine(m, program, program, [](const auto& run) { return run.elapsed; });
  };
  CHECK(barrier(far) == barrier(near) + far.chip.noc.cross_die);
  // 32 KiB take longer at 10 GB/s than all else
  far.chip.noc.cross_die_bandwidth = {10'000'000'000, false};
  const model::DmaParams& d = far.chip.core.dma;
  const Duration bytes = far.chip.noc.cross_die_bandwidth.time_for({128 * 64 * 4});
  CHECK(time_of_swap(far, "").fs == (d.doorbell_sync + d.start_up + far.chip.noc.cross_die + bytes).fs);
  CHECK(time_of_swap(far, "gpsimd_dma").fs ==
        (far.chip.core.rendezvous.gpsimd_latency + far.chip.noc.cross_die + bytes).fs);
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
  system.load(2, text_program(kProgramHead + "vector:\n  core_barrier pipe=3\n"), tensor_arguments());
  system.load(
      3,
      text_program(kProgramHead +
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
  system.load(0, text_program(kProgramHead + "vector:\n  core_barrier\n"), tensor_arguments());
  CHECK_THROWS_WITH(system.run(),
                    Contains("E-RUN-045") && Contains("vector[0] core_barrier") && Contains("lnc"));
}

TEST_CASE("logical core: two sides of a swap that do not match are refused", "[system]") {
  model::System system(pairs(), Mode::kTiming);
  const auto program = [](const char* shape) {
    return text_program(kProgramHead + "vector:\n  sendrecv shape=" + shape +
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
