// SPDX-License-Identifier: Apache-2.0
// Convolutions of any shape: golden values, times that do not depend on the mode, no races, and refused
// cases. A second machine in one case runs in a child process.
#include "workloads/convolution/conv2d.h"

#include <catch2/catch.hpp>

#include "tests/support/program/refusal_of.h"
#include "tests/support/program/workload_run.h"
#include "workloads/convolution/conv2d_plan.h"

using namespace tahoma;

namespace {

// Channels are not multiples of a tile, images are not square.
void check(tests::Settings settings) {
  for (const auto& [key, value] : {std::pair{"images", "5"},
                                   {"in_channels", "70"},
                                   {"out_channels", "150"},
                                   {"height", "9"},
                                   {"width", "14"}})
    settings.insert(settings.begin(), {key, value});
  tests::check_workload(workloads::make_conv2d, settings);
}

std::string refused(const tests::Settings& settings) {
  return tests::refusal_of(
      [&] { tests::workload_with(workloads::make_conv2d, settings)->check(tests::machine_of(1, 1, 1)); });
}

}  // namespace

TEST_CASE("conv2d: 3x3 with padding in bf16", "[convolution][machine]") { check({}); }
TEST_CASE("conv2d: 3x3 with padding in fp16, relu", "[convolution][machine]") {
  check({{"dtype", "fp16"}, {"relu", "true"}});
}
TEST_CASE("conv2d: 3x3 with padding in fp32", "[convolution][machine]") { check({{"dtype", "fp32"}}); }
TEST_CASE("conv2d: 3x3 without padding", "[convolution][machine]") { check({{"padding", "0"}}); }
TEST_CASE("conv2d: 3x3 with a stride of 2", "[convolution][machine]") { check({{"stride", "2"}}); }
TEST_CASE("conv2d: 5x5 with a padding of 2 and a stride of 3", "[convolution][machine]") {
  check({{"filter", "5"}, {"padding", "2"}, {"stride", "3"}});
}
TEST_CASE("conv2d: 1x1 over two tiles of channels on three cores", "[convolution][machine]") {
  check({{"filter", "1"}, {"padding", "0"}, {"in_channels", "200"}, {"cores", "3"}});
}
TEST_CASE("conv2d: 1x1 with a stride of 2", "[convolution][machine]") {
  check({{"filter", "1"}, {"padding", "0"}, {"stride", "2"}});
}
TEST_CASE("conv2d: one pixel, one channel", "[convolution][machine]") {
  check({{"in_channels", "1"}, {"out_channels", "1"}, {"height", "1"}, {"width", "1"}, {"images", "1"}});
}
// The corner pixels are outside every tap but one, so no tap covers all of them.
TEST_CASE("conv2d: a padding beyond half of the filter", "[convolution][machine]") {
  check({{"padding", "2"}, {"height", "9"}, {"width", "8"}});
}
TEST_CASE("conv2d: rows of an image in several banks", "[convolution][machine]") {
  check({{"height", "37"}, {"width", "40"}, {"images", "2"}});
}

// Less than a tenth of the SBUF: bands of rows, and output channels in panels.
TEST_CASE("conv2d: a small SBUF takes bands of images and panels of channels", "[convolution]") {
  model::MachineParams machine = tests::default_machine();
  machine.chip.core.sbuf.usable = {15'000};
  workloads::Conv2dShape shape;
  shape.images = 2;
  shape.in = 128;
  shape.out = 512;
  shape.rows = shape.columns = {.size = 60, .filter = 3, .before = 1, .after = 1};
  const workloads::Conv2dPlan plan = workloads::plan_conv2d(machine, shape);
  CHECK(plan.channels < 512);
  CHECK(plan.images == 1);
  CHECK(plan.rows < 60);
  // Bands cover every output row once.
  std::uint64_t rows = 0;
  for (const workloads::Pixels& block : plan.blocks(shape)) {
    for (const workloads::Pixels& bank : plan.banks(block))
      rows += std::uint64_t{bank.images.count} * bank.rows.count;
    CHECK(workloads::Conv2dPlan::input_rows(shape, block.rows).count * shape.columns.size <=
          plan.input_columns);
  }
  CHECK(rows == 120);
}

TEST_CASE("conv2d on a machine: bands and panels of a small SBUF", "[convolution][machine]") {
  const auto workload = tests::workload_with(
      workloads::make_conv2d,
      {{"in_channels", "40"}, {"out_channels", "300"}, {"height", "40"}, {"width", "33"}, {"images", "2"}});
  model::MachineParams machine = tests::machine_of(1, 1, 1);
  machine.chip.core.sbuf.usable = {17'000};
  workload->check(machine);
  runtime::Machine run(machine, model::Mode::kFunctional, {true, true});
  workload->prepare(run, 1);
  run.run();
  CHECK(run.findings().total() == 0);
  const runtime::GoldenResult golden = workload->verify(run);
  INFO(golden.first_mismatch);
  CHECK(golden.passed());
}

// Rows of 1300 pixels; 20 input channels, whose copies are stacked by rows of the filter.
TEST_CASE("conv2d on a machine: rows wider than a PSUM bank, and stacked rows", "[convolution][machine]") {
  const auto workload = tests::workload_with(
      workloads::make_conv2d,
      {{"in_channels", "20"}, {"out_channels", "20"}, {"height", "5"}, {"width", "1300"}, {"images", "2"}});
  workload->check(tests::machine_of(1, 1, 1));
  runtime::Machine run(tests::machine_of(1, 1, 1), model::Mode::kFunctional, {true, true});
  workload->prepare(run, 1);
  run.run();
  CHECK(run.findings().total() == 0);
  const runtime::GoldenResult golden = workload->verify(run);
  INFO(golden.first_mismatch);
  CHECK(golden.passed());
}

// A filter of few channels is one product for each of its columns, or for as many rows as the array has.
TEST_CASE("conv2d: rows of the filter are stacked as far as the array reaches", "[convolution]") {
  const auto planned = [](std::uint64_t channels, std::uint64_t filter) {
    workloads::Conv2dShape shape;
    shape.in = channels;
    shape.out = 64;
    shape.rows = shape.columns = {.size = 28, .filter = filter, .before = 1, .after = 1};
    const workloads::Conv2dPlan plan = workloads::plan_conv2d(tests::default_machine(), shape);
    CHECK(plan.stack * channels <= plan.height);
    CHECK(plan.stack * plan.passes >= filter);
    return std::pair(plan.stack, plan.passes);
  };
  CHECK(planned(16, 7) == std::pair(7U, 1U));
  CHECK(planned(15, 7).first == 1);  // as many channels as DMA engines, at least
  CHECK(planned(64, 3) == std::pair(2U, 2U));
  CHECK(planned(40, 4) == std::pair(2U, 2U));
  CHECK(planned(65, 3).first == 1);
  CHECK(planned(16, 1).first == 1);
}

TEST_CASE("conv2d: sizes that do not fit are refused by name", "[convolution]") {
  CHECK_THAT(refused({{"filter", "7"}, {"height", "4"}}),
             Catch::Contains("E-RUN-095") && Catch::Contains("filter"));
  model::MachineParams machine = tests::default_machine();
  machine.chip.core.sbuf.usable = {4096};
  workloads::Conv2dShape shape;
  shape.in = 1024;
  shape.out = 64;
  shape.rows = shape.columns = {.size = 28, .filter = 3, .before = 1, .after = 1};
  CHECK_THAT(tests::refusal_of([&] { workloads::conv2d_program(machine, shape); }),
             Catch::Contains("E-RUN-095") && Catch::Contains("SBUF"));
}
