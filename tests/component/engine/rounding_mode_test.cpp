// SPDX-License-Identifier: Apache-2.0
// The rounding of a machine: to nearest by default, otherwise stochastic by the run's seed alone.
#include <catch2/catch.hpp>

#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using model::Mode;

namespace {

constexpr std::size_t kNumbers = 4096;

// 1 + 1/512 as bf16, a quarter of a step above 1: the number of kNumbers that were rounded up on core 0, and
// their positions.
std::string rounded(model::RoundingMode mode, std::uint64_t seed, const char* queue = "vector") {
  return in_child([&] {
    auto m = machine_of(1, 1, 1);
    m.chip.core.rounding = mode;
    model::System system(m, Mode::kFunctional);
    system.seed(seed);
    const std::string text = R"(.program p
.args in out
sync:
  dma_copy shape=64x64 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1
  dma_copy shape=64x64 dst=out:bf16 src=sbuf[0, 0x400]:bf16 wait=s1>=1
)" + std::string(queue) +
                             ":\n  tensor_copy shape=64x64 dst=sbuf[0, 0x400]:bf16 src=sbuf[0, 0x0]:fp32 "
                             "wait=s0>=16 update=s1+=1\n";
    const float value = 1 + 1.0F / 512;
    std::int32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    put_words(system, 0, Words(kNumbers, bits));
    system.load(0, text_program(text), tensor_arguments());
    system.run();
    std::string ups;
    for (const std::int32_t pair : get_words(system, 1, kNumbers / 2))
      for (const std::int32_t half : {pair & 0xFFFF, (pair >> 16) & 0xFFFF}) {
        REQUIRE((half == 0x3F80 || half == 0x3F81));
        ups += half == 0x3F81 ? '1' : '0';
      }
    return ups;
  });
}

}  // namespace

TEST_CASE("rounding mode: to nearest by default", "[system]") {
  CHECK(machine_of(1, 1, 1).chip.core.rounding == model::RoundingMode::kNearest);
  CHECK(rounded(model::RoundingMode::kNearest, 1) == std::string(kNumbers, '0'));
}

TEST_CASE("rounding mode: stochastic rounding follows the seed and the engine, and is right on average",
          "[system]") {
  const std::string first = rounded(model::RoundingMode::kStochastic, 1);
  CHECK(first == rounded(model::RoundingMode::kStochastic, 1));
  CHECK(first != rounded(model::RoundingMode::kStochastic, 2));
  CHECK(first != rounded(model::RoundingMode::kStochastic, 1, "scalar"));
  // A quarter of 4096, within six standard deviations of 27.7.
  CHECK(std::count(first.begin(), first.end(), '1') == Approx(1024).margin(167));
}
