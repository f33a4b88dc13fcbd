// SPDX-License-Identifier: Apache-2.0
// Data between the chips of a machine, checked end to end: every program without races passes, and a race
// that changes data in transit does not.
#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "isa/text/assembler.h"
#include "isa/validate/validate.h"
#include "model/system/system.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::tests;
using model::Mode;

namespace {

// Arguments a..d of every program: stack 0 of chips 0..3. And core0, core8: core numbers.
constexpr std::uint32_t kChips = 4;
const std::string kArguments = ".args a b c d core0 core8\n";

std::uint64_t on_chip(std::uint32_t chip, std::uint64_t offset) {
  return isa::GlobalAddress{chip, 0, offset}.bits();
}

constexpr std::size_t kMegabyte = std::size_t{512} * 512;  // in fp32

struct Machine {
  model::System system;
  explicit Machine(Mode mode, bool dram = false) : system(machine(dram), mode) {}

  static model::MachineParams machine(bool dram) {
    model::MachineParams m = machine_of(2, 2, 1);
    if (!dram) m.chip.hbm.model = model::HbmModel::kFlat;
    return m;
  }
  void load(std::uint32_t core, const std::string& streams) {
    auto program = std::make_shared<const isa::Program>(isa::assemble(kArguments + streams, "test"));
    isa::validate(*program, {});
    std::array<std::uint64_t, isa::kArguments> arguments{};
    for (std::uint32_t chip = 0; chip < kChips; ++chip) arguments[chip] = on_chip(chip, 0);
    arguments[kChips] = 0;
    arguments[kChips + 1] = 8;
    system.load(core, program, arguments);
  }
  // fp32 n + `from` at element n.
  void count_up(std::uint32_t chip, std::uint64_t offset, std::size_t n, float from) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = from + static_cast<float>(i);
    std::memcpy(system.hbm(on_chip(chip, offset), 4 * n), values.data(), 4 * n);
  }
  std::vector<float> values(std::uint32_t chip, std::uint64_t offset, std::size_t n) {
    std::vector<float> values(n);
    std::memcpy(values.data(), system.hbm(on_chip(chip, offset), 4 * n), 4 * n);
    return values;
  }
};

bool counts_up(const std::vector<float>& values, float from, float step = 1) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != from + step * static_cast<float>(i)) return false;
  return true;
}

// A megabyte from chip 0 to chip 1, and a concurrent program of a core there.
const std::string kSends =
    "sync:\n dma_copy shape=512x512 dst=b:fp32 src=a:fp32 update=s0+=1\n"
    " sem_wait wait=s0>=16\n";
const std::string kFetches =
    "sync:\n dma_copy shape=512x512 dst=a:fp32 src=b:fp32 update=s0+=1\n"
    " sem_wait wait=s0>=16\n";
// A first transfer delays the second until the other one is in flight.
const std::string kOverwrites =
    "sync:\n dma_copy shape=1x16 dst=b+0x200000:fp32 src=b+0x300000:fp32 update=s0+=1\n"
    " dma_copy shape=512x512 dst=b:fp32 src=b+0x400000:fp32 wait=s0>=16 update=s1+=1\n"
    " sem_wait wait=s1>=16\n";

std::string rendezvous(Mode mode, const std::string& one, const std::string& other, float value) {
  return in_child([&] {
    Machine m(mode);
    if (mode == Mode::kFunctional) {
      m.count_up(0, 0, kMegabyte, 1);
      m.count_up(1, 0, kMegabyte, 1);
      m.count_up(1, 0x400000, kMegabyte, value);
    }
    m.load(0, one);
    m.load(8, other);
    return std::to_string(m.system.run().elapsed.fs);
  });
}

}  // namespace

TEST_CASE(
    "checksum machine: a destination overwritten while its data are in transit is a race of the program",
    "[system][link]") {
  const std::string refusal = rendezvous(Mode::kFunctional, kSends, kOverwrites, 2);
  for (const char* part :
       {"chip 1, stack 0, offset", "error[E-RUN-067]", "from chip 0", "core 0, DMA engine"})
    CHECK_THAT(refusal, Catch::Contains(part));
  // Timing mode computes no values, and overwriting with equal values is not detected.
  const std::string time = rendezvous(Mode::kTiming, kSends, kOverwrites, 2);
  CHECK_THAT(time, !Catch::Contains("error"));
  CHECK(rendezvous(Mode::kFunctional, kSends, kOverwrites, 1) == time);
}

TEST_CASE("checksum machine: a source overwritten while another chip reads it is a race of the program",
          "[system][link]") {
  const std::string refusal = rendezvous(Mode::kFunctional, kFetches, kOverwrites, 2);
  for (const char* part : {"chip 1, stack 0, offset", "error[E-RUN-069]", "core 0 of chip 0", "DMA engine"})
    CHECK_THAT(refusal, Catch::Contains(part));
  const std::string time = rendezvous(Mode::kTiming, kFetches, kOverwrites, 2);
  CHECK_THAT(time, !Catch::Contains("error"));
  CHECK(rendezvous(Mode::kFunctional, kFetches, kOverwrites, 1) == time);
}

TEST_CASE("checksum machine: a source may be overwritten as soon as it has been read", "[system][link]") {
  Machine m(Mode::kFunctional, true);
  constexpr std::size_t kMany = kMegabyte;
  m.count_up(0, 0, kMany, 1);
  m.count_up(0, 0x400000, kMany, 2);
  m.count_up(2, 0, kMany, 3);
  m.count_up(2, 0x400000, kMany, 4);
  m.load(0,
         "sync:\n dma_copy shape=512x512 dst=b:fp32 src=a:fp32 update=s0+=1 read_update=s1+=1\n"
         " dma_copy shape=512x512 dst=a:fp32 src=a+0x400000:fp32 wait=s1>=16 update=s2+=1\n"
         " dma_copy shape=512x512 dst=d:fp32 src=c:fp32 update=s3+=1 read_update=s4+=1\n"
         " dma_copy shape=512x512 dst=c:fp32 src=c+0x400000:fp32 wait=s4>=16 update=s5+=1\n"
         " sem_wait wait=s0>=16\n sem_wait wait=s2>=16\n sem_wait wait=s3>=16\n sem_wait wait=s5>=16\n");
  m.system.run();
  CHECK(counts_up(m.values(0, 0, kMany), 2));
  CHECK(counts_up(m.values(1, 0, kMany), 1));
  CHECK(counts_up(m.values(2, 0, kMany), 4));
  CHECK(counts_up(m.values(3, 0, kMany), 3));
}

TEST_CASE("checksum machine: the result of every kind of transfer arrives unchanged", "[system][link]") {
  Machine m(Mode::kFunctional, true);
  constexpr std::size_t kMany = std::size_t{128} * 256;
  m.count_up(0, 0, kMany, 1);
  m.count_up(1, 0, kMany, 5);
  m.count_up(2, 0, kMany, 0);
  m.count_up(3, 0, kMany, 7);
  const std::string wait = " sem_wait wait=s0>=";
  m.load(0,
         // In place: the destination is one of the sources.
         ".descriptor shape=128x256 dst=d:fp32 src=d:fp32\n"
         ".descriptor shape=128x256 dst=d:fp32 src=c:fp32\n"
         ".descriptor shape=128x256 dst=d:fp32 src=a:fp32\n"
         "sync:\n"
         " dma_copy shape=128x256 dst=b:fp32 src=a:fp32 accumulate update=s0+=1\n" +
             wait + "16\n dma_compute descriptor=0 sources=3 op=add update=s0+=1\n" + wait +
             "32\n dma_copy shape=128x256 dst=b+0x100000:bf16 src=d:fp32 update=s0+=1\n" + wait +
             // Columns to rows; every row to one position; one row to every position.
             "48\n dma_copy shape=64x64 dst=c+0x100000:fp32:(1,0,0,64) src=a:fp32:(64,0,0,1) update=s0+=1\n"
             " dma_copy shape=128x256 dst=c+0x200000:fp32:(0,0,0,1) src=a:fp32:(256,0,0,1) update=s0+=1\n"
             " dma_copy shape=128x256 dst=c+0x300000:fp32:(512,0,0,1) src=a:fp32:(0,0,0,1) update=s0+=1\n" +
             wait + "96\n");
  m.system.run();
  CHECK(counts_up(m.values(1, 0, kMany), 6, 2));
  CHECK(counts_up(m.values(3, 0, kMany), 8, 3));
  CHECK(counts_up(m.values(2, 0x100000, 64), 1, 64));
  CHECK(counts_up(m.values(2, 0x200000, 256), 127 * 256 + 1));
  CHECK(counts_up(m.values(2, 0x300000 + 127 * 2048, 256), 1));
}

TEST_CASE("checksum machine: rows by number arrive, also several at one position", "[system][link]") {
  Machine m(Mode::kFunctional, true);
  m.count_up(0, 0, std::size_t{64} * 256, 1);
  const std::vector<std::int32_t> rows{9, 2, 2, 70, 5, 9, 0, 3};
  std::memcpy(m.system.hbm(on_chip(0, 0x200000), 4 * rows.size()), rows.data(), 4 * rows.size());
  m.count_up(1, 0, std::size_t{16} * 256, 1);
  m.load(0,
         "sync:\n dma_copy shape=8x1 dst=sbuf[0, 0x4000]:int32 src=a+0x200000:int32 update=s0+=1\n"
         " dma_copy shape=8x256 dst=sbuf[0, 0x0]:fp32 src=a:fp32 update=s0+=1\n sem_wait wait=s0>=32\n"
         " dma_copy shape=8x256 dst=c:fp32 src=sbuf[0, 0x0]:fp32 indirect=scatter rows=sbuf[0, 0x4000]:int32 "
         "bound=16 skip update=s0+=1\n"
         " dma_copy shape=8x256 dst=sbuf[0, 0x1000]:fp32 src=b:fp32 indirect=gather rows=sbuf[0, "
         "0x4000]:int32 bound=16 skip update=s0+=1\n sem_wait wait=s0>=64\n"
         " dma_copy shape=8x256 dst=d:fp32 src=sbuf[0, 0x1000]:fp32 update=s0+=1\n sem_wait wait=s0>=80\n");
  m.system.run();
  for (const auto& [row, from] :
       std::map<std::uint64_t, std::uint64_t>{{9, 5}, {2, 2}, {5, 4}, {0, 6}, {3, 7}})
    CHECK(counts_up(m.values(2, row * 1024, 256), static_cast<float>(from * 256 + 1)));
  for (const std::uint64_t n : {0U, 1U, 2U, 4U, 5U, 6U, 7U})
    CHECK(counts_up(m.values(3, n * 1024, 256), static_cast<float>(rows[n] * 256 + 1)));
}
