// SPDX-License-Identifier: Apache-2.0
// Sums, transpositions and scatters on a machine: their values, and their times compared with closed forms.
#include <catch2/catch.hpp>

#include "tests/support/bench/idle_transfer.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::Duration;
using model::Mode;

namespace {

// Time from the doorbell to the last byte written, for a share of `cycles` DMA cycles read from HBM.
Duration latency(std::int64_t cycles) {
  const auto m = flat_chip();
  return idle_read(m, cycles) + m.chip.core.dma.write_sbuf;
}

Duration elapsed(const std::string& text) {
  model::System system(flat_chip(), Mode::kTiming);
  system.load(0, text_program(text), tensor_arguments());
  return system.run().elapsed;
}

Words floats(std::size_t count, float factor) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float value = factor * static_cast<float>(i);
    std::memcpy(&words[i], &value, 4);
  }
  return words;
}

}  // namespace

TEST_CASE("transfer: a sum of three takes the time of three sources through each engine", "[system]") {
  const Duration time = elapsed(R"(.program p
.args a b c
.descriptor shape=128x512 dst=sbuf[0, 0x0]:fp32 src=a:fp32
.descriptor shape=128x512 dst=sbuf[0, 0x0]:fp32 src=b:fp32
.descriptor shape=128x512 dst=sbuf[0, 0x0]:fp32 src=c:fp32
sync:
  dma_compute descriptor=0 sources=3
)");
  // a packet holds 4 KiB of all sources: 341 elements of a row, then 171
  CHECK(time.ns() == Approx(latency(8 * (3 * (43 + 22 + 3) + 1)).ns()).epsilon(0.01));
}

TEST_CASE("transfer: a transposition through the DMA engines takes nine tenths of their throughput",
          "[system]") {
  const Duration time = elapsed(R"(.program p
.args a
sync:
  dma_transpose shape=128x64 dst=sbuf[0, 0x0]/3:fp32:(1,0,0,0) src=a:fp32
)");
  // one contiguous source of 32 KiB in 16 pieces; 68 cycles each, stretched
  CHECK(time.ns() == Approx(latency(76).ns()).epsilon(0.01));
}

TEST_CASE("transfer: a copy that exchanges dimensions moves element by element", "[system]") {
  const Duration time = elapsed(R"(.program p
.args a
sync:
  dma_copy shape=128x64 dst=sbuf[0, 0x0]/3:fp32:(1,0,0,0) src=a:fp32
)");
  // 8 engines of 8 partitions each
  CHECK(time.ns() == Approx(latency(1024 * (1 + 3) + 1024 / 64).ns()).epsilon(0.02));
}

TEST_CASE("transfer: a gather of neighbouring rows takes no less than one of rows apart", "[system]") {
  const auto gather = [](std::int32_t pitch) {
    const auto program = text_program(R"(.program p
.args rows a
.control rows
sync:
  dma_copy shape=128x1 dst=sbuf[0, 0x1000]:int32 src=rows:int32 update=s0+=1
  dma_copy shape=128x64 dst=sbuf[0, 0x0]:fp32 src=a:fp32 indirect=gather rows=sbuf[0, 0x1000]:int32 bound=256 wait=s0>=16
)");
    Words rows(128);
    for (std::int32_t n = 0; n < 128; ++n) rows[static_cast<std::size_t>(n)] = n * pitch;
    model::System system(flat_chip(), Mode::kTiming);
    keep_control(system, *program);
    put_words(system, 0, rows);
    system.load(0, program, tensor_arguments());
    return std::to_string(system.run().elapsed.fs);
  };
  CHECK(in_child([&] { return gather(1); }) == in_child([&] { return gather(2); }));
}

TEST_CASE("transfer: sums, transpositions and scatters leave the right values in memory", "[system]") {
  const auto program = text_program(R"(.program p
.args a b out rows
.descriptor shape=16x32 dst=sbuf[0, 0x0]:fp32 src=a:fp32
.descriptor shape=16x32 dst=sbuf[0, 0x0]:fp32 src=b:fp32
sync:
  dma_compute descriptor=0 sources=2 update=s0+=1
  dma_copy shape=16x1 dst=sbuf[0, 0x800]:int32 src=rows:int32 update=s0+=1
  dma_transpose shape=16x32 dst=sbuf[32, 0x0]/3:fp32:(1,0,0,0) src=sbuf[0, 0x0]:fp32 wait=s0>=32 update=s1+=1
  dma_copy shape=16x32 dst=out+0x8000:fp32 src=sbuf[0, 0x0]:fp32 indirect=scatter rows=sbuf[0, 0x800]:int32 bound=16 wait=s0>=32
  dma_copy shape=32x16 dst=out:fp32 src=sbuf[32, 0x0]:fp32 wait=s1>=16
)");
  model::System system(machine_of(1, 1, 1), Mode::kFunctional);
  put_words(system, 0, floats(512, 1));
  put_words(system, 1, floats(512, 0.5F));
  Words rows(16);
  for (std::int32_t n = 0; n < 16; ++n) rows[static_cast<std::size_t>(n)] = 15 - n;
  put_words(system, 3, rows);
  system.load(0, program, tensor_arguments());
  system.run();
  const Words sum = floats(512, 1.5F);
  const Words turned = get_words(system, 2, 512), all = get_words(system, 2, 0x8000 / 4 + 512);
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < 16; ++r)
    for (std::size_t c = 0; c < 32; ++c) {
      wrong += turned[c * 16 + r] != sum[r * 32 + c];
      wrong += all[0x8000 / 4 + (15 - r) * 32 + c] != sum[r * 32 + c];
    }
  CHECK(wrong == 0);
}
