// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;

namespace {

std::string deadlock(bool fold) {
  return tests::in_child([&]() -> std::string {
    model::System system(tests::machine_of(2, 2, 1), model::Mode::kTiming);
    system.allow_folding(fold);
    const auto program = tests::text_program("scalar:\n  sem_wait wait=s0>=1\n");
    for (std::uint32_t core = 0; core < system.cores(); core += 8)
      system.load(core, program, tests::tensor_arguments());
    try {
      system.run();
      return "the run ended";
    } catch (const base::UserError& error) {
      return error.code + " " + error.message;
    }
  });
}

}  // namespace

TEST_CASE("folding: a deadlock names the waiting engines of every chip, as in a run of the whole machine",
          "[folding]") {
  const std::string folded = deadlock(true);
  CHECK(folded == deadlock(false));
  CHECK_THAT(folded, Catch::Contains("4 engines wait") && Catch::Contains("server0.chip03.core0.scalar[0]"));
}
