// SPDX-License-Identifier: Apache-2.0
// The distribution of tensors over the HBM stacks of a chip.
#include "runtime/run/stack_allocator.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "runtime/run/stack_balance.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;

namespace {

model::MachineParams machine_with(std::uint64_t stacks) {
  model::MachineParams machine = tests::default_machine();
  machine.torus = {1, 1, 1};
  machine.chip.hbm.stacks = stacks;
  return machine;
}

// Bytes of each stack after `tensors` allocations of every core.
std::vector<std::uint64_t> filled(const model::MachineParams& machine, int tensors, std::mt19937* random) {
  runtime::StackAllocator stacks(machine);
  std::vector<std::uint64_t> bytes(machine.chip.hbm.stacks);
  for (int n = 0; n < tensors; ++n) {
    const std::uint64_t size =
        random == nullptr ? 64 : std::uniform_int_distribution<std::uint64_t>(1, 100)(*random) * 64;
    for (std::uint32_t core = 0; core < machine.chip.cores; ++core) {
      const isa::GlobalAddress at = stacks.next(core, size);
      REQUIRE(stacks.fits(at, size));
      stacks.take(core, at, size);
      bytes[at.stack] += size;
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("stacks: a core's parts add up to its share, and those of all cores to every stack",
          "[placement]") {
  for (std::uint64_t stacks = 1; stacks <= 16; ++stacks) {
    const model::ChipParams chip = machine_with(stacks).chip;
    std::vector<std::uint64_t> parts(stacks);
    for (std::uint64_t core = 0; core < chip.cores; ++core) {
      std::uint64_t own = 0;
      for (const auto& share : runtime::stacks_of(chip, core)) {
        own += share.part;
        parts.at(share.stack) += share.part;
      }
      CHECK(own == stacks);  // in 1 / cores of a stack
      CHECK(runtime::stacks_of(chip, core).front().stack == chip.stack_of(core));
    }
    for (const std::uint64_t part : parts) CHECK(part == chip.cores);
  }
}

TEST_CASE("stacks: where their number divides that of the cores, every tensor is in the core's own stack",
          "[placement]") {
  for (const std::uint64_t stacks : {1, 2, 4, 8}) {
    const model::MachineParams machine = machine_with(stacks);
    runtime::StackAllocator allocator(machine);
    for (int n = 0; n < 10; ++n)
      for (std::uint32_t core = 0; core < machine.chip.cores; ++core) {
        const isa::GlobalAddress at = allocator.next(core, 64);
        CHECK(at.stack == machine.chip.stack_of(core));
        allocator.take(core, at, 64);
      }
  }
}

// A core's bytes in a stack are within one tensor of its part, so a stack's are within one tensor for each
// core that shares it.
TEST_CASE("stacks: any number of them is filled evenly", "[placement]") {
  std::mt19937 random(3);
  for (std::uint64_t stacks = 1; stacks <= 16; ++stacks) {
    INFO(stacks << " stacks");
    const model::MachineParams machine = machine_with(stacks);
    for (std::mt19937* sizes : {static_cast<std::mt19937*>(nullptr), &random}) {
      const std::vector<std::uint64_t> bytes = filled(machine, 400, sizes);
      const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
      const std::uint64_t sharers = machine.chip.cores / stacks + 2, largest = sizes == nullptr ? 64 : 6400;
      CHECK(*most - *least <= 2 * sharers * largest);
    }
  }
}

TEST_CASE("stacks: a full stack leaves the others of a core", "[placement]") {
  const model::MachineParams machine = machine_with(6);
  runtime::StackAllocator stacks(machine);
  const std::uint64_t whole = stacks.capacity({0, 0, 0});
  stacks.take(0, {0, 0, 0}, whole);  // core 1 shares stack 0 with core 0
  for (int n = 0; n < 3; ++n) {
    const isa::GlobalAddress at = stacks.next(1, 64);
    CHECK(at.stack == 1);
    stacks.take(1, at, 64);
  }
  CHECK_FALSE(stacks.fits(stacks.next(0, 64), 64));
}

TEST_CASE("stacks: unequal loads are a warning that names the stack, equal ones are not", "[placement]") {
  const model::ChipParams chip = machine_with(6).chip;
  base::RunMeasurement run;
  const auto load = [&](std::vector<std::uint64_t> bytes) {  // of core 1, which shares stacks 0 and 1
    run.hbm.clear();
    for (std::size_t stack = 0; stack < 6; ++stack) {
      base::HbmMeasurement& hbm = run.hbm.emplace_back();
      hbm.path = "server0.chip00.hbm" + std::to_string(stack);
      hbm.read_bytes = stack < bytes.size() ? bytes[stack] : 0;
      hbm.users.emplace_back();
      hbm.users.back().core = 1;
      hbm.users.back().read_bytes = hbm.read_bytes;
    }
    return runtime::uneven_stacks(chip, run);
  };
  CHECK(load({100, 200}).empty());  // a quarter of stack 0 and half of stack 1
  CHECK(load({}).empty());
  CHECK_THAT(load({300, 0}), Catch::Contains("8 cores share 6 HBM stacks") &&
                                 Catch::Contains("server0.chip00.hbm0 moved 1.50 times"));
}
