// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/forked_processes.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;

namespace {

// Even and odd chips wait for different semaphores.
std::string deadlock(bool fold, std::uint32_t processes = 1) {
  return tests::in_processes(processes, [&](model::Processes* all) -> std::string {
    model::System system(tests::machine_of(2, 2, 1), model::Mode::kTiming, true, {}, {}, all);
    system.allow_folding(fold);
    const auto even = tests::text_program("scalar:\n  sem_wait wait=s0>=1\n"),
               odd = tests::text_program("scalar:\n  sem_wait wait=s1>=1\n");
    for (std::uint32_t core = 0; core < system.cores(); core += 8)
      system.load(core, core % 16 == 0 ? even : odd, tests::tensor_arguments());
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
  CHECK(deadlock(true, 2) == folded);  // one process has the even chips, the other one the odd chips
  CHECK(deadlock(false, 3) == folded);
}
