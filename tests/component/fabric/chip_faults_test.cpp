// SPDX-License-Identifier: Apache-2.0
// Slow and dead chips beside healthy ones with the same program.
#include <catch2/catch.hpp>
#include <cmath>

#include "model/base/error.h"
#include "model/system/system.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/tiny_programs.h"

using namespace tahoma;
using namespace tahoma::base::literals;

namespace {

model::MachineParams two_chips(double slow) {
  model::MachineParams machine = tests::machine_of(2, 1, 1);
  machine.chip.hbm.model = model::HbmModel::kFlat;
  machine.instances.chips["server0.chip00"].slow = slow;
  machine.check();
  return machine;
}

// The vector and the scalar engine pass a tile back and forth: instructions, semaphores and their sequencers.
isa::Program engines_alone() {
  isa::Program p;
  for (std::uint32_t turn = 1; turn <= 8; ++turn) {
    isa::Instruction copy = tests::elementwise(isa::Opcode::kTensorCopy, 512);
    copy.update = {isa::Update::Kind::kAdd, 1, 1};
    p.stream(isa::Queue::kVector).push_back(copy);
    copy.wait = {isa::Wait::Kind::kGe, 1, turn};
    copy.update = {isa::Update::Kind::kAdd, 2, 1};
    p.stream(isa::Queue::kScalar).push_back(copy);
    p.stream(isa::Queue::kVector).push_back(tests::wait_ge(2, turn));
  }
  return p;
}

isa::Program one_copy() {
  isa::Program p;
  p.stream(isa::Queue::kSync).edit() = {tests::hbm_copy(p, 1, 0, 1 << 20, 0)};
  return p;
}

// Elapsed femtoseconds of a program on core 0 of `chip`.
std::int64_t elapsed(const isa::Program& program, double slow, std::uint32_t chip = 0) {
  return std::stoll(tests::in_child([&] {
    model::System system(two_chips(slow), model::Mode::kTiming);
    system.load(chip * 8, std::make_shared<isa::Program>(program), {0, 1 << 20});
    return std::to_string(system.run().elapsed.fs);
  }));
}

}  // namespace

TEST_CASE("chip faults: engines of a chip that is slow by a factor take that much longer", "[instances]") {
  const isa::Program p = engines_alone();
  const std::int64_t sound = elapsed(p, 1);
  CHECK(sound > 8'000'000'000);
  // Edges of clocks are rounded to femtoseconds, those of 1.2 GHz / 1.5 and / 3 to hertz.
  CHECK(std::abs(elapsed(p, 2) - 2 * sound) <= 32);
  CHECK(elapsed(p, 1.5) == Approx(1.5 * static_cast<double>(sound)).epsilon(1e-8));
  CHECK(elapsed(p, 3) == Approx(3.0 * static_cast<double>(sound)).epsilon(1e-8));
}

TEST_CASE("chip faults: a slow chip does not affect the others", "[instances]") {
  CHECK(elapsed(engines_alone(), 2, 1) == elapsed(engines_alone(), 1, 1));
}

// The engines' bytes bound a copy inside HBM, but the stack's rate and latency do not change: nearly, but not
// quite, twice.
TEST_CASE("chip faults: DMA engines of a slow chip are slow, its memory is not", "[instances]") {
  const std::int64_t sound = elapsed(one_copy(), 1), slow = elapsed(one_copy(), 2);
  CHECK(slow < 2 * sound);
  CHECK(static_cast<double>(slow) > 1.8 * static_cast<double>(sound));
}

TEST_CASE("chip faults: a slow core has slow clocks, long times and as many cycles", "[instances]") {
  const model::CoreParams sound = tests::default_machine().chip.core, slow = model::slowed(sound, 2);
  CHECK(slow.tensor.clock == 1200_MHz);
  CHECK(slow.vector.clock == 480_MHz);
  CHECK(slow.sequencer.clock == 600_MHz);
  CHECK(slow.dma.clock == 425_MHz);
  CHECK(slow.sbuf.clock == 600_MHz);
  CHECK(slow.tensor.pipeline_latency == sound.tensor.pipeline_latency * 2);
  CHECK(slow.dma.start_up == sound.dma.start_up * 2);
  CHECK(slow.rendezvous.gpsimd_bandwidth.bytes_per_second * 2 ==
        sound.rendezvous.gpsimd_bandwidth.bytes_per_second);
  CHECK(slow.tensor.issue_overhead == sound.tensor.issue_overhead);
  CHECK(slow.sbuf.per_partition == sound.sbuf.per_partition);
  CHECK(slow.rounding == sound.rounding);
  const model::CoreParams same = model::slowed(sound, 1);
  CHECK(same.tensor.clock == sound.tensor.clock);
  CHECK(same.tensor.pipeline_latency == sound.tensor.pipeline_latency);
}

TEST_CASE("chip faults: a program on a dead chip is refused with the chip's name", "[instances]") {
  model::MachineParams machine = two_chips(1);
  machine.instances.chips["server0.chip01"].dead = true;
  model::System system(machine, model::Mode::kTiming);
  const auto program = std::make_shared<isa::Program>(engines_alone());
  CHECK_NOTHROW(system.load(7, program, {}));
  try {
    system.load(8, program, {});
    FAIL("a dead chip took a program");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RUN-055");
    CHECK(e.place == "machine.instances.server0.chip01.dead");
    CHECK_THAT(e.message, Catch::StartsWith("core 8 has a program"));
  }
}
