// SPDX-License-Identifier: Apache-2.0
// Values between chips that different processes simulate: transfers of every kind, and control values in
// timing mode.
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <set>

#include "runtime/host/sha256.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/forked_processes.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using model::Mode;

namespace {

constexpr std::uint32_t kChips = 4;
constexpr std::uint64_t kFilled =
    std::uint64_t{128} * 256 * 4;             // bytes at the start of stack 0 of every chip
constexpr std::uint64_t kWritten = 0x500000;  // no program writes above

std::uint64_t on_chip(std::uint32_t chip, std::uint64_t offset = 0) {
  return isa::GlobalAddress{chip, 0, offset}.bits();
}

struct Loaded {
  std::uint32_t core;
  std::string
      text;  // after its arguments: a to d are stack 0 of chips 0 to 3, and core0 and core24 core numbers
};
using Programs = std::vector<Loaded>;

struct Outcome {
  std::string times;
  std::vector<std::string> memories;  // by chip: a digest of what programs may write; none in timing mode
};

// Returns the chips whose tensors are control tensors.
std::set<std::uint32_t> load(model::System& system, const Loaded& loaded) {
  const auto program = tests::text_program(".args a b c d core0 core24\n" + loaded.text);
  std::array<std::uint64_t, isa::kArguments> arguments{};
  std::set<std::uint32_t> kept;
  for (std::uint8_t a = 0; a < kChips; ++a) {
    arguments[a] = on_chip(a);
    if (!program->is_control(a)) continue;
    system.keep_values(on_chip(a), kFilled);
    kept.insert(a);
  }
  arguments[5] = 24;
  system.load(loaded.core, program, arguments);
  return kept;
}

// Each value identifies its location. Chip 2 begins with integers: how often a loop runs, and numbers of
// rows.
void fill(model::System& system, std::uint32_t chip) {
  std::vector<float> values(kFilled / 4);
  std::iota(values.begin(), values.end(), static_cast<float>(chip) * 1'000'000);
  std::memcpy(system.hbm(on_chip(chip), kFilled), values.data(), kFilled);
  constexpr std::array<std::int32_t, 8> kNumbers{3, 0, 9, 9, 5, 1, 127, 200};
  if (chip == 2) std::memcpy(system.hbm(on_chip(chip), kFilled), kNumbers.data(), sizeof kNumbers);
  system.host_wrote(on_chip(chip), kFilled);
}

Outcome run(const Programs& programs, Mode mode, model::Processes* processes) {
  model::MachineParams machine = tests::machine_of(2, 2, 1);
  machine.chip.hbm.model = model::HbmModel::kFlat;
  model::System system(machine, mode, true, {}, {}, processes);
  std::set<std::uint32_t> kept;
  for (const Loaded& loaded : programs) kept.merge(load(system, loaded));
  for (std::uint32_t chip = 0; chip < kChips; ++chip)
    if (mode == Mode::kFunctional || kept.contains(chip)) fill(system, chip);
  Outcome outcome{tests::times_of(system.run()), {}};
  for (std::uint32_t chip = 0; mode == Mode::kFunctional && chip < kChips; ++chip)
    outcome.memories.push_back(
        runtime::sha256_of({reinterpret_cast<const char*>(system.hbm(on_chip(chip), kWritten)), kWritten}));
  return outcome;
}

std::string outcome_of(const Programs& programs, Mode mode, std::uint32_t count) {
  return tests::in_processes(count, [&](model::Processes* processes) {
    const Outcome outcome = run(programs, mode, processes);
    std::string all = outcome.times;
    for (const std::string& memory : outcome.memories) all += memory + "\n";
    return all;
  });
}

void check_all_counts(const Programs& programs, Mode mode) {
  const std::string one = outcome_of(programs, mode, 1);
  CHECK_THAT(one, Catch::Contains(" elapsed"));
  for (const std::uint32_t count : {2U, 3U, 4U}) {
    INFO(count << " processes");
    CHECK(outcome_of(programs, mode, count) == one);
  }
}

// Core 0 of chip 0 moves data between the other chips; core 24 of chip 3 stores a register when it has been
// notified, and core 0 reads that.
const Programs kEveryKind = {
    {0,
     ".control c\n.descriptor shape=128x256 dst=d:fp32 src=d:fp32\n"
     ".descriptor shape=128x256 dst=d:fp32 src=c:fp32\n"
     ".descriptor shape=128x256 dst=d:fp32 src=a:fp32\n"
     "sync:\n"
     // Copies from this chip, to it, and between two others.
     " dma_copy shape=128x256 dst=b+0x100000:fp32 src=a:fp32 update=s0+=1\n"
     " dma_copy shape=128x256 dst=a+0x100000:fp32 src=c:fp32 update=s0+=1\n"
     " dma_copy shape=128x256 dst=b+0x200000:fp32 src=d:fp32 update=s0+=1\n sem_wait wait=s0>=48\n"
     // Adds this chip's data to another chip's, and sums three sources in place of one of them.
     " dma_copy shape=128x256 dst=b:fp32 src=a:fp32 accumulate update=s0+=1\n sem_wait wait=s0>=64\n"
     " dma_compute descriptor=0 sources=3 op=add update=s0+=1\n sem_wait wait=s0>=80\n"
     // Converts, transposes, and gathers rows by number.
     " dma_copy shape=128x256 dst=c+0x300000:bf16 src=d:fp32 update=s0+=1\n"
     " dma_copy shape=64x64 dst=c+0x100000:fp32:(1,0,0,64) src=b:fp32:(64,0,0,1) update=s0+=1\n"
     " dma_copy shape=8x1 dst=sbuf[0, 0x4000]:int32 src=c:int32 update=s0+=1\n"
     " sem_wait wait=s0>=128\n"
     " dma_copy shape=8x256 dst=sbuf[0, 0x0]:fp32 src=d:fp32 indirect=gather rows=sbuf[0, 0x4000]:int32 "
     "bound=128 skip "
     "update=s0+=1\n sem_wait wait=s0>=144\n"
     " dma_copy shape=8x256 dst=c+0x400000:fp32 src=sbuf[0, 0x0]:fp32 indirect=scatter rows=sbuf[0, "
     "0x4000]:int32 "
     "bound=128 skip update=s0+=1\n sem_wait wait=s0>=160\n"
     // Copies what another core has stored by then.
     " dma_copy shape=1x1 dst=d+0x480000:fp32 src=a:fp32 notify=core24 update=s1+=1\n"
     " sem_wait wait=s2>=16\n"
     " dma_copy shape=1x1 dst=a+0x480000:int32 src=d+0x490000:int32 update=s0+=1\n sem_wait wait=s0>=176\n"},
    {24,
     "sync:\n sem_wait wait=s1>=16\n reg_set d=r0 imm=42\n reg_store a=r0 dst=d+0x490000:int32\n"
     " dma_copy shape=1x1 dst=a+0x4a0000:fp32 src=d:fp32 notify=core0 update=s2+=1\n"}};

// A word of chip 2 decides how often core 0 loops.
const Programs kSteered = {
    {0,
     ".control c\nsync:\n"
     " dma_copy shape=1x1 dst=sbuf[0, 0x0]:int32 src=c:int32 update=s0+=1\n"
     " sem_wait wait=s0>=16\n reg_load d=r0 src=sbuf[0, 0x0]:int32\n"
     "again:\n dma_copy shape=128x256 dst=b:fp32 src=a:fp32 update=s1+=1\n"
     " reg_alu d=r0 a=r0 op=subtract imm=1\n branch a=r0 compare=gt imm=0 target=again\n"
     " sem_wait wait=s1>=48\n"}};

}  // namespace

TEST_CASE("peer values: every kind of transfer has the values of one process", "[parallel]") {
  check_all_counts(kEveryKind, Mode::kFunctional);
}

TEST_CASE("peer values: transfers take the same time in both modes", "[parallel]") {
  check_all_counts(kEveryKind, Mode::kTiming);
  const auto times = [](const std::string& outcome) {
    return outcome.substr(0, outcome.find("instructions"));
  };
  CHECK(times(outcome_of(kEveryKind, Mode::kTiming, 4)) ==
        times(outcome_of(kEveryKind, Mode::kFunctional, 4)));
}

TEST_CASE("peer values: a control value of another process steers a program in timing mode", "[parallel]") {
  check_all_counts(kSteered, Mode::kTiming);
  check_all_counts(kSteered, Mode::kFunctional);
}

TEST_CASE("peer values: a word that nobody knows is refused as in one process", "[parallel]") {
  Programs unknown = kSteered;
  unknown[0].text.replace(0, std::strlen(".control c\n"), ".control d\n");
  const std::string one = outcome_of(unknown, Mode::kTiming, 1);
  CHECK_THAT(one, Catch::Contains("error[E-"));
  CHECK(outcome_of(unknown, Mode::kTiming, 4) == one);
}
