// SPDX-License-Identifier: Apache-2.0
// An observer of results receives each one when it is in memory, with its location as resolved at run time.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using model::Mode;

namespace {

// The reported result, and the first word of the destination at that moment.
struct Told {
  base::ResultActivity result;
  std::vector<std::uint32_t> rows;
  std::int32_t word = 0;
};

class Results final : public base::ResultObserver {
 public:
  Results(model::System& system, const isa::Program& program) : system_(system), program_(program) {
    system.observe_results(this);
  }
  void result(const base::ResultActivity& r) override {
    Told told{r, {r.rows.begin(), r.rows.end()}, 0};
    std::memcpy(&told.word, destination(r), sizeof told.word);
    all.push_back(told);
  }
  const Told& of(std::uint32_t core, isa::Queue queue, std::uint32_t index,
                 std::size_t occurrence = 0) const {
    for (const Told& told : all)
      if (told.result.core == core && told.result.queue == static_cast<std::uint8_t>(queue) &&
          told.result.index == index && occurrence-- == 0)
        return told;
    throw std::out_of_range("no such result");
  }
  std::vector<Told> all;

 private:
  const std::byte* destination(const base::ResultActivity& r) const {
    const isa::Instruction& i = program_.streams[r.queue][r.index];
    const bool transfer = isa::row_of(i.op).cost == isa::CostClass::kDoorbell;
    const isa::DmaSide& side = transfer ? program_.descriptors[i.descriptor].dst : i.word;
    const bool tile = !transfer && i.op != isa::Opcode::kRegStore;
    if (!tile && side.space == isa::Space::kHbm)
      return system_.hbm(r.address + (r.scatters ? r.rows.front() * 32U : 0U), 4);
    const auto memory = system_.on_chip(r.core, tile ? i.dst.space : side.space);
    const std::size_t partition = tile ? i.dst.partition : side.partition;
    const std::int64_t offset = r.moved + static_cast<std::int64_t>(tile ? i.dst.offset : side.offset);
    return memory.bytes + partition * memory.stride + offset;
  }

  model::System& system_;
  const isa::Program& program_;
};

Words numbers(std::int32_t first, std::size_t count) {
  Words words(count);
  for (std::int32_t& word : words) word = first++;
  return words;
}

}  // namespace

TEST_CASE("results: those of instructions and transfers are in memory when they are reported", "[activity]") {
  const auto program = text_program(R"(.program p
.args in out
sync:
  reg_set d=r1 imm=64
  dma_copy shape=4x8 dst=sbuf[0, 0x0]:int32 src=in:int32 update=s0+=1
  dma_copy shape=4x8 dst=out:int32 dst_reg=r1 src=sbuf[0, 0x420]:int32 wait=s1>=2 update=s2+=1
  sem_wait wait=s2>=16
  reg_store a=r1 dst=sbuf[3, 0x100]:int32 dst_reg=r1
  reg_store a=r1 dst=out+0x800:int32
vector:
  reg_set d=r2 imm=32
  reg_set d=r3 imm=0
  sem_wait wait=s0>=16
again:
  tensor_copy_dynamic shape=4x8 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32 dst_reg=r2 update=s1+=1
  reg_alu d=r3 a=r3 op=add imm=1
  branch a=r3 compare=lt imm=2 target=again
)");
  model::System system(machine_of(1, 1, 1), Mode::kFunctional);
  put_words(system, 0, numbers(100, 32));
  system.load(0, program, tensor_arguments());
  const Results results(system, *program);
  const base::RunMeasurement run = system.run();
  CHECK(results.all.size() == 6);  // those of 13 executed instructions that write memory
  using isa::Queue;
  CHECK(results.of(0, Queue::kSync, 1).word == 100);
  CHECK(results.of(0, Queue::kVector, 3).word == 100);
  CHECK(results.of(0, Queue::kVector, 3).result.moved == 32);
  CHECK(results.of(0, Queue::kVector, 3, 1).result.start > results.of(0, Queue::kVector, 3).result.start);
  CHECK(results.of(0, Queue::kSync, 2).word == 100);
  CHECK(results.of(0, Queue::kSync, 2).result.address == tensor_at(1) + 64);
  CHECK(results.of(0, Queue::kSync, 4).word == 64);
  CHECK(results.of(0, Queue::kSync, 4).result.moved == 64);
  CHECK(results.of(0, Queue::kSync, 5).word == 64);
  CHECK(results.of(0, Queue::kSync, 5).result.address == tensor_at(1) + 0x800);
  for (const Told& told : results.all) CHECK(told.result.start.fs <= run.elapsed.fs);
}

TEST_CASE("results: a scatter reports its written rows without those out of bounds", "[activity]") {
  const auto program = text_program(R"(.program p
.args in out rows
sync:
  dma_copy shape=4x8 dst=sbuf[0, 0x0]:int32 src=in:int32 update=s0+=1
  dma_copy shape=4x1 dst=sbuf[0, 0x800]:int32 src=rows:int32 update=s0+=1
  dma_copy shape=4x8 dst=out:int32 src=sbuf[0, 0x0]:int32 indirect=scatter rows=sbuf[0, 0x800]:int32 bound=4 skip wait=s0>=32
)");
  model::System system(machine_of(1, 1, 1), Mode::kFunctional);
  put_words(system, 0, numbers(0, 32));
  put_words(system, 2, {3, 9, 0, 1});
  system.load(0, program, tensor_arguments());
  const Results results(system, *program);
  system.run();
  REQUIRE(results.all.size() == 3);
  const Told& scattered = results.of(0, isa::Queue::kSync, 2);
  CHECK(scattered.result.scatters);
  CHECK(scattered.rows == std::vector<std::uint32_t>{3, 0, 1});
  CHECK(scattered.word == 0);  // row 0 went to row 3
}

TEST_CASE("results: two cores that swap tiles have one each", "[activity]") {
  auto machine = machine_of(1, 1, 1);
  machine.chip.lnc = 2;
  const auto program = text_program(R"(.program p
.args in out
sync:
  dma_copy shape=4x8 dst=sbuf[0, 0x0]:int32 src=in:int32 update=s0+=1
gpsimd:
  sendrecv shape=4x8 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32 wait=s0>=16
)");
  model::System system(machine, Mode::kFunctional);
  for (const std::uint32_t core : {2U, 3U}) {
    auto arguments = tensor_arguments();
    arguments[0] = isa::GlobalAddress{0, 1, std::uint64_t{core} << 16}.bits();
    std::memcpy(system.hbm(arguments[0], 4), &core, 4);
    system.load(core, program, arguments);
  }
  const Results results(system, *program);
  system.run();
  CHECK(results.all.size() == 4);
  CHECK(results.of(2, isa::Queue::kGpSimd, 0).word == 3);
  CHECK(results.of(3, isa::Queue::kGpSimd, 0).word == 2);
}

TEST_CASE("results: run-ahead changes none of them", "[activity]") {
  const auto told = [](bool run_ahead) {
    return in_child([&] {
      const auto program = text_program(R"(.program p
.args in
sync:
  dma_copy shape=4x8 dst=sbuf[0, 0x0]:int32 src=in:int32 update=s0+=1
vector:
  tensor_scalar shape=4x8 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32 op0=add scalar0=5 wait=s0>=16
  tensor_scalar shape=4x8 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x400]:int32 op0=add scalar0=5
  tensor_scalar shape=4x8 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x400]:int32 op0=mult scalar0=2
)");
      model::System system(machine_of(1, 1, 1), Mode::kFunctional, run_ahead);
      put_words(system, 0, numbers(100, 32));
      system.load(0, program, tensor_arguments());
      const Results results(system, *program);
      system.run();
      std::string text;
      for (const Told& t : results.all)
        text += std::to_string(t.result.queue) + " " + std::to_string(t.result.index) + " " +
                std::to_string(t.result.start.fs) + " " + std::to_string(t.word) + "\n";
      return text;
    });
  };
  CHECK(told(true) == told(false));
  CHECK_THAT(told(true), Catch::Contains(" 220\n"));
}
