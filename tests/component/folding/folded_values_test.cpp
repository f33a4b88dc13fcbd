// SPDX-License-Identifier: Apache-2.0
// Functional mode of a folded machine: every core has values of its own, whichever core is simulated for it.
#include <catch2/catch.hpp>

#include "isa/core/program_error.h"
#include "model/base/error.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;

namespace {

constexpr std::uint32_t kTorusChips = 4;

std::uint64_t address_of(std::uint32_t chip, std::uint64_t offset) {
  return isa::GlobalAddress{chip, 0, offset}.bits();
}

// On the first core of every chip, with tensors of its own: in, out, index.
struct Machine {
  model::System system{tests::machine_of(2, 2, 1), model::Mode::kFunctional};

  Machine(const std::string& text, bool fold) {
    system.allow_folding(fold);
    const auto program = tests::text_program(text);
    for (std::uint32_t chip = 0; chip < kTorusChips; ++chip) {
      std::array<std::uint64_t, isa::kArguments> arguments{};
      for (std::size_t a = 0; a < 3; ++a) arguments[a] = address_of(chip, a << 16);
      system.load(chip * static_cast<std::uint32_t>(system.params().chip.cores), program, arguments);
    }
  }
  std::uint32_t& word(std::uint32_t chip, std::uint64_t tensor, std::uint64_t n) {
    return *reinterpret_cast<std::uint32_t*>(system.hbm(address_of(chip, tensor << 16) + 4 * n, 4));
  }
  // The number of simulated chips, or the error.
  std::string run() {
    try {
      system.run();
      return std::to_string(system.folding().simulated());
    } catch (const base::UserError& error) {
      return error.what();
    }
  }
};

// out[i] = in[index[i]], for eight numbers in one partition.
const std::string kGather = R"(.args in out index
sync:
  dma_copy shape=1x8 dst=sbuf[0, 0x0]:uint32 src=in:uint32 update=s0+=1
  dma_copy shape=1x8 dst=sbuf[0, 0x100]:uint32 src=index:uint32 update=s0+=1
  dma_copy shape=1x8 dst=out:uint32 src=sbuf[0, 0x200]:uint32 wait=s1>=1 update=s2+=1
gpsimd:
  n_gather shape=1x8 dst=sbuf[0, 0x200]:uint32 src=sbuf[0, 0x0]:uint32 index=sbuf[0, 0x100]:uint32 extent=8 wait=s0>=2 update=s1+=1
)";

void fill(Machine& machine) {
  for (std::uint32_t chip = 0; chip < kTorusChips; ++chip)
    for (std::uint32_t n = 0; n < 8; ++n) {
      machine.word(chip, 0, n) = 100 * chip + n;
      machine.word(chip, 2, n) = (n * 3 + chip) % 8;
    }
}

std::string error_of(std::uint32_t bad_chip, bool fold) {
  return tests::in_child([&] {
    Machine machine(kGather, fold);
    fill(machine);
    machine.word(bad_chip, 2, 5) = 8;
    return machine.run();
  });
}

}  // namespace

TEST_CASE("folded values: equal chips compute with data of their own", "[folding]") {
  const std::string told = tests::in_child([] {
    Machine machine(kGather, true);
    fill(machine);
    std::string all = machine.run();
    for (std::uint32_t chip = 0; chip < kTorusChips; ++chip)
      for (std::uint32_t n = 0; n < 8; ++n)
        if (machine.word(chip, 1, n) != 100 * chip + (n * 3 + chip) % 8) all += " wrong";
    return all;
  });
  CHECK(told == "1");
}

TEST_CASE("folded values: an error names the core whose value is wrong, as in a run of the whole machine",
          "[folding]") {
  for (const std::uint32_t bad : {0U, 1U, 3U}) {
    const std::string folded = error_of(bad, true);
    CHECK(folded == error_of(bad, false));
    CHECK_THAT(folded, Catch::Contains("E-ISA-402") &&
                           Catch::Contains("server0.chip0" + std::to_string(bad) + ".core0.gpsimd[0]"));
  }
}

TEST_CASE("folded values: chips that load registers from memory are all simulated", "[folding]") {
  const std::string steered = R"(.args in out index
sync:
  reg_load d=r1 src=in:int32
  reg_store a=r1 dst=out:int32
)";
  const std::string told = tests::in_child([&] {
    Machine machine(steered, true);
    fill(machine);
    const std::string simulated = machine.run();
    return simulated + " " + machine.system.folding().reason;
  });
  CHECK(told == "4 values steer the programs, and those of equal chips may differ");
}

TEST_CASE("folded values: a register is stored for every chip", "[folding]") {
  const std::string stores = R"(.args in out index
sync:
  reg_set d=r1 imm=77
  reg_store a=r1 dst=out:int32
)";
  const std::string told = tests::in_child([&] {
    Machine machine(stores, true);
    std::string all = machine.run();
    for (std::uint32_t chip = 0; chip < kTorusChips; ++chip)
      all += " " + std::to_string(machine.word(chip, 1, 0));
    return all;
  });
  CHECK(told == "1 77 77 77 77");
}
