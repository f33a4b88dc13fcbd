// SPDX-License-Identifier: Apache-2.0
// Loops, branches and indirect transfers that depend on control tensors: the same program in both modes,
// compared with an interpreter that takes its steps in any order.
#include <catch2/catch.hpp>

#include "isa/core/program_error.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"
#include "tests/support/reference/interpreter.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using model::Mode;

namespace {

// Runs a program on core 0 of one chip; argument 0 holds `control`. Returns the times and the final contents
// of argument `out`.
struct Outcome {
  std::string times;
  Words out;
};
Outcome run(const std::string& text, const Words& control, Mode mode, std::size_t out = 0,
            std::size_t words = 0, bool run_ahead = true) {
  const auto program = text_program(text);
  model::System system(machine_of(1, 1, 1), mode, run_ahead);
  keep_control(system, *program);
  put_words(system, 0, control);
  system.load(0, program, tensor_arguments());
  const std::string times = times_of(system.run());
  return {times, words == 0 ? Words{} : get_words(system, out, words)};
}

std::string times(const std::string& text, const Words& control, Mode mode, bool run_ahead = true) {
  return in_child([&] { return run(text, control, mode, 0, 0, run_ahead).times; });
}

// counts[0] outer rounds with counts[1 + round] inner rounds each; the program counts the inner ones.
const std::string kNested = R"(.program nested
.args counts out
.control counts out
vector:
  reg_set d=r0 imm=0
  reg_set d=r1 imm=0
  reg_load d=r2 src=counts:int32
  branch a=r1 compare=ge b=r2 target=end
outer:
  reg_alu d=r3 a=r1 op=mult imm=4
  reg_load d=r4 src=counts+0x4:int32 src_reg=r3
inner:
  branch a=r4 compare=le imm=0 target=next
  memset shape=128x64 dst=sbuf[0, 0x0]:fp32 value=1
  reg_alu d=r0 a=r0 op=add imm=1
  reg_alu d=r4 a=r4 op=subtract imm=1
  jump target=inner
next:
  reg_alu d=r1 a=r1 op=add imm=1
  branch a=r1 compare=lt b=r2 target=outer
end:
  reg_store a=r0 dst=out:int32
)";

// Gathers the rows that a page table in HBM names, adds two sources, and loops while the sum of a control
// word requires it. Every second round takes another path.
const std::string kPages = R"(.program pages
.args table data out
.control table
sync:
  reg_set d=r0 imm=0
  reg_load d=r1 src=table+0x100:int32
  dma_copy shape=8x1 dst=sbuf[0, 0x1000]:int32 src=table:int32 update=s0+=1
  sem_wait wait=s0>=16
again:
  dma_copy shape=8x32 dst=sbuf[0, 0x0]:fp32 src=data:fp32 indirect=gather rows=sbuf[0, 0x1000]:int32 bound=16 skip update=s1+=1
  reg_alu d=r2 a=r0 op=add imm=1
  reg_alu d=r3 a=r2 op=mult imm=16
  sem_wait wait=s1>=r3
  reg_alu d=r4 a=r0 op=bitwise_and imm=1
  reg_alu d=r5 a=r0 op=mult imm=1024
  branch a=r4 compare=ne imm=0 target=plain
  sem_set update=s2+=1
  dma_copy shape=8x32 dst=out:fp32 dst_reg=r5 src=sbuf[0, 0x400]:fp32 wait=s3>=r2 update=s4+=1
  jump target=more
plain:
  sem_set update=s2+=1
  dma_copy shape=8x32 dst=out:fp32 dst_reg=r5 src=sbuf[0, 0x0]:fp32 wait=s3>=r2 update=s4+=1
more:
  sem_wait wait=s4>=r3
  reg_alu d=r0 a=r0 op=add imm=1
  branch a=r0 compare=lt b=r1 target=again
vector:
  reg_set d=r0 imm=0
  reg_load d=r1 src=table+0x100:int32
loop:
  reg_alu d=r2 a=r0 op=add imm=1
  sem_wait wait=s2>=r2
  tensor_scalar shape=8x32 dst=sbuf[0, 0x400]:fp32 src=sbuf[0, 0x0]:fp32 op0=mult scalar0=3 update=s3+=1
  reg_alu d=r0 a=r0 op=add imm=1
  branch a=r0 compare=lt b=r1 target=loop
)";

Words page_table(std::int32_t rounds) {
  Words words(65);
  const std::int32_t rows[] = {3, 15, 0, -1, 3, 7, 16, 1};
  std::copy(std::begin(rows), std::end(rows), words.begin());
  words[64] = rounds;
  return words;
}

}  // namespace

TEST_CASE("control flow: a control tensor determines the counts of nested loops, in both modes in equal time",
          "[system]") {
  const Words counts{5, 3, 0, 1, 7, 2};
  const std::string timing = times(kNested, counts, Mode::kTiming);
  CHECK(timing == times(kNested, counts, Mode::kFunctional));
  CHECK(timing == times(kNested, counts, Mode::kTiming, false));  // without run-ahead
  CHECK(times(kNested, {5, 3, 0, 1, 7, 3}, Mode::kTiming) != timing);
  CHECK(times(kNested, {0}, Mode::kTiming) == times(kNested, {0}, Mode::kFunctional));
}

TEST_CASE("control flow: a count of rounds comes back through a register, in timing mode too", "[system]") {
  CHECK(run(kNested, {5, 3, 0, 1, 7, 2}, Mode::kTiming, 1, 1).out == Words{13});
}

TEST_CASE("control flow: a loop takes the sum of its instructions, loads from memory their latency",
          "[system]") {
  const auto m = machine_of(1, 1, 1);
  const auto& q = m.chip.core.sequencer;
  const auto program = text_program(R"(.program p
.args counts
.control counts
sync:
  reg_load d=r1 src=counts:int32
again:
  reg_load d=r2 src=sbuf[0, 0x0]:int32
  reg_alu d=r1 a=r1 op=subtract imm=1
  branch a=r1 compare=gt imm=0 target=again
)");
  model::System system(m, Mode::kTiming);
  keep_control(system, *program);
  put_words(system, 0, {100});
  system.load(0, program, tensor_arguments());
  // Each of the first 99 branches is taken; a load adds its memory's latency to another step.
  const base::Clock clock(q.clock);
  const base::Cycles loads = clock.nearest(q.load_hbm + q.load_sbuf * 100);
  const std::int64_t steps = 1 + 100 * 2 + 1, jumps = 99;
  CHECK(system.run().elapsed ==
        clock.length({loads.count + steps * q.sync.step.count + jumps * q.sync.jump.count}));
}

TEST_CASE("control flow: page tables, indirect transfers and branches take equal time in both modes",
          "[system]") {
  for (const std::int32_t rounds : {1, 4}) {
    const std::string timing = times(kPages, page_table(rounds), Mode::kTiming);
    CHECK_THAT(timing, Contains("elapsed"));
    CHECK(timing == times(kPages, page_table(rounds), Mode::kFunctional));
  }
}

TEST_CASE("control flow: a program computes the same in any order of its steps", "[system]") {
  constexpr int kRounds = 3, kSeeds = 100;
  const auto m = machine_of(1, 1, 1);
  const auto program = text_program(kPages);
  Words data(512);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto value = static_cast<float>(i) / 3;
    std::memcpy(&data[i], &value, 4);
  }
  model::System system(m, Mode::kFunctional);
  put_words(system, 0, page_table(kRounds));
  put_words(system, 1, data);
  system.load(0, program, tensor_arguments());
  system.run();
  const Words want = get_words(system, 2, 256 * kRounds);
  CHECK(std::count(want.begin(), want.end(), 0) < 256);  // two of eight rows are omitted in each round
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    Interpreter any(m, seed);
    const std::uint64_t table = any.allocate(1 << 12), in = any.allocate(1 << 12),
                        out = any.allocate(1 << 14);
    std::memcpy(any.at(table), page_table(kRounds).data(), 65 * 4);
    std::memcpy(any.at(in), data.data(), 4 * data.size());
    any.load(0, program, {table, in, out});
    any.run();
    REQUIRE(std::memcmp(any.at(out), want.data(), 4 * want.size()) == 0);
  }
}

TEST_CASE("control flow: a branch on computed data is refused in timing mode alone", "[system]") {
  const std::string text = R"(.program p
.args counts data
.control counts
vector:
  reg_load d=r1 src=counts:int32
  dma_copy shape=1x8 dst=sbuf[0, 0x0]:int32 src=counts:int32 update=s0+=1
  sem_wait wait=s0>=16
  reg_load d=r2 src=sbuf[0, 0x4]:int32
  branch a=r2 compare=gt imm=0 target=on
on:
  memset shape=1x1 dst=sbuf[0, 0x4]:int32 value=0
  reg_load d=r3 src=sbuf[0, 0x4]:int32
  branch a=r3 compare=gt imm=0 target=end
end:
)";
  CHECK_THAT(times(text, {1, 2}, Mode::kFunctional), Contains("elapsed"));
  const std::string refused = times(text, {1, 2}, Mode::kTiming);
  CHECK_THAT(refused, Contains("E-RUN-052") && Contains("vector[7] branch") &&
                          Contains("vector[6] reg_load d=r3 src=sbuf[0, 0x4]:int32"));
}

TEST_CASE("control flow: a transfer of anything else over control values makes them unknown", "[system]") {
  const std::string text = R"(.program p
.args counts data
.control counts
sync:
  dma_copy shape=4x2 dst=sbuf[0, 0x0]:int32 src=counts:int32 update=s0+=1
  dma_copy shape=1x2 dst=sbuf[2, 0x0]:int32 src=data:int32 wait=s0>=16 update=s0+=1
  reg_load d=r1 src=sbuf[3, 0x4]:int32 wait=s0>=32
  branch a=r1 compare=gt imm=0 target=on
on:
  reg_load d=r2 src=sbuf[2, 0x4]:int32
  branch a=r2 compare=gt imm=0 target=end
end:
)";
  CHECK_THAT(times(text, {1, 2, 3, 4, 5, 6, 7, 8}, Mode::kTiming),
             Contains("E-RUN-052") && Contains("sync[5] branch") && Contains("src=sbuf[2, 0x4]"));
}

TEST_CASE("control flow: rows out of bounds end the run with the instruction, the row and the bound",
          "[system]") {
  const std::string text = R"(.program p
.args table data
.control table
sync:
  dma_copy shape=4x1 dst=sbuf[0, 0x0]:int32 src=table:int32 update=s0+=1
  dma_copy shape=4x8 dst=sbuf[0, 0x40]:fp32 src=data:fp32 indirect=gather rows=sbuf[0, 0x0]:int32 bound=4 wait=s0>=16
)";
  CHECK_THROWS_WITH(run(text, {0, 3, 4, 1}, Mode::kTiming), Contains("E-RUN-043") &&
                                                                Contains("core0.sync[1] dma_copy") &&
                                                                Contains("row number 4") && Contains("0..3"));
}

TEST_CASE("control flow: a dynamic copy takes from and to where registers say", "[system]") {
  const std::string text = R"(.program p
.args offsets out
.control offsets
sync:
  dma_copy shape=1x8 dst=sbuf[0, 0x100]:int32 src=offsets:int32 update=s0+=1
  dma_copy shape=1x8 dst=out:int32 src=sbuf[0, 0x200]:int32 wait=s1>=1
gpsimd:
  reg_load d=r1 src=offsets:int32
  reg_load d=r2 src=offsets+0x4:int32
  tensor_copy_dynamic shape=1x4 dst=sbuf[0, 0x200]:int32 src=sbuf[0, 0x100]:int32 dst_reg=r1 src_reg=r2 wait=s0>=16 update=s1+=1
)";
  const Words out = run(text, {8, 16, 10, 11, 12, 13, 14, 15}, Mode::kFunctional, 1, 8).out;
  CHECK(out == Words{0, 0, 12, 13, 14, 15, 0, 0});
}
