// SPDX-License-Identifier: Apache-2.0
// The convolution: golden values of every way to transpose the weights, times that do not depend on the mode,
// and the properties of the device profiles that its programs must show. A second machine in one case runs in
// a child process.
#include "workloads/convolution/convolution.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/validate/validate.h"
#include "model/base/error.h"
#include "runtime/run/machine.h"
#include "tests/support/program/workload_run.h"
#include "workloads/convolution/convolution_kernel.h"

using namespace tahoma;
using isa::DType, isa::Opcode, isa::Queue;
using workloads::WeightPath;

namespace {

std::unique_ptr<runtime::Workload> with(const tests::Settings& settings) {
  return tests::workload_with(workloads::make_convolution, settings);
}

void check(const tests::Settings& settings) { tests::check_workload(workloads::make_convolution, settings); }

// The shape of the device profiles.
isa::Program traced(DType dtype, WeightPath path) {
  const model::MachineParams machine = tests::machine_of(1, 1, 1);
  isa::Program p = workloads::convolution_program(machine, {1, 256, 256, 32, 16, 3, dtype}, path);
  isa::validate(p, runtime::limits_of(machine));
  return p;
}

std::ptrdiff_t count_of(const isa::Program& p, Queue queue, Opcode op) {
  const auto& stream = p.stream(queue);
  return std::count_if(stream.begin(), stream.end(), [&](const isa::Instruction& i) { return i.op == op; });
}

std::vector<isa::Descriptor> transfers_of(const isa::Program& p, Queue queue) {
  std::vector<isa::Descriptor> found;
  for (const isa::Instruction& i : p.stream(queue))
    if (i.op == Opcode::kDmaCopy) found.push_back(p.descriptors[i.descriptor]);
  return found;
}

const isa::Shape kImage{128, {1, 1, 30, 14}};

}  // namespace

TEST_CASE("convolution: resident weights, the traced shape in fp16", "[convolution][machine]") {
  check({{"dtype", "fp16"}, {"weights", "resident"}});
}

TEST_CASE("convolution: resident weights, the traced shape in fp32", "[convolution][machine]") {
  check({{"dtype", "fp32"}, {"weights", "resident"}});
}

TEST_CASE("convolution: reloaded weights, the traced shape in fp16", "[convolution][machine]") {
  check({{"dtype", "fp16"}, {"weights", "reload"}});
}

TEST_CASE("convolution: reloaded weights, the traced shape in fp32", "[convolution][machine]") {
  check({{"dtype", "fp32"}, {"weights", "reload"}});
}

TEST_CASE("convolution: weights transposed by DMA, the traced shape in fp16", "[convolution][machine]") {
  check({{"dtype", "fp16"}, {"weights", "dma_transpose"}});
}

TEST_CASE("convolution: weights transposed by DMA, the traced shape in fp32", "[convolution][machine]") {
  check({{"dtype", "fp32"}, {"weights", "dma_transpose"}});
}

// Three tiles of output channels use all buffers again; 20 rows of 59 pixels need three banks per image.
TEST_CASE("convolution: resident weights, two images in several banks, three tiles of channels",
          "[convolution][machine]") {
  check({{"images", "2"},
         {"in_channels", "128"},
         {"out_channels", "384"},
         {"height", "22"},
         {"width", "61"},
         {"dtype", "bf16"}});
}

TEST_CASE("convolution: reloaded weights, a filter of 2 and three tiles of channels",
          "[convolution][machine]") {
  check({{"in_channels", "256"},
         {"out_channels", "384"},
         {"height", "5"},
         {"width", "9"},
         {"filter", "2"},
         {"dtype", "bf16"},
         {"weights", "reload"}});
}

TEST_CASE("convolution: weights transposed by DMA, a filter of 5 on an image of its size",
          "[convolution][machine]") {
  check({{"in_channels", "128"},
         {"out_channels", "128"},
         {"height", "5"},
         {"width", "6"},
         {"filter", "5"},
         {"dtype", "bf16"},
         {"weights", "dma_transpose"}});
}

TEST_CASE("convolution: three images on two cores, each with its own copy of the weights",
          "[convolution][machine]") {
  check({{"images", "3"},
         {"in_channels", "128"},
         {"out_channels", "128"},
         {"height", "6"},
         {"width", "7"},
         {"weights", "reload"},
         {"cores", "2"}});
}

TEST_CASE("convolution: a filter of one pixel is a product of matrices", "[convolution][machine]") {
  check({{"in_channels", "256"},
         {"out_channels", "128"},
         {"height", "1"},
         {"width", "512"},
         {"filter", "1"},
         {"dtype", "fp32"}});
}

// TRACE conv2d_4: per tile of output channels 2 x 9 matmuls of 30 rows of 14 pixels with weights at a stride
// of a filter, 18 transposes; nine loads and one doorbell per store, each awaited at the end.
TEST_CASE("convolution: resident weights match the device profile", "[convolution]") {
  const isa::Program p = traced(DType::kFp16, WeightPath::kResident);
  CHECK(count_of(p, Queue::kTensor, Opcode::kMatmul) == 36);
  CHECK(count_of(p, Queue::kTensor, Opcode::kTranspose) == 36);
  CHECK(count_of(p, Queue::kScalar, Opcode::kTensorCopy) + count_of(p, Queue::kVector, Opcode::kTensorCopy) ==
        72);
  CHECK(count_of(p, Queue::kVector, Opcode::kTensorTensor) == 2);
  const isa::Instruction* weights = nullptr;
  for (const isa::Instruction& i : p.stream(Queue::kTensor)) {
    if (i.op == Opcode::kLoadWeights) weights = &i;
    if (i.op != Opcode::kMatmul) continue;
    CHECK(i.shape == kImage);
    CHECK(i.src0.stride == std::array<std::int16_t, 4>{0, 0, 16, 1});
    REQUIRE(weights != nullptr);
    CHECK(weights->src0.stride[3] == 9);
  }
  const auto loads = transfers_of(p, Queue::kSync);
  REQUIRE(loads.size() == 9);
  CHECK(std::count_if(loads.begin(), loads.end(),
                      [](const isa::Descriptor& d) { return d.count[3] == 1152; }) == 4);
  const auto& stores = p.stream(Queue::kGpSimd);
  REQUIRE(stores.size() == 4);
  CHECK(stores[2].op == Opcode::kSemWait);
  CHECK(stores[3].op == Opcode::kSemWait);
}

// TRACE conv2d_3: 36 taps staged inside SBUF, 36 stored, 4 blocks of 1152 columns loaded again; the banks are
// evacuated in 32-bit words.
TEST_CASE("convolution: reloaded weights match the device profile", "[convolution]") {
  const isa::Program p = traced(DType::kFp16, WeightPath::kReload);
  const auto staged = transfers_of(p, Queue::kGpSimd);
  CHECK(staged.size() == 36 + 2);
  CHECK(std::count_if(staged.begin(), staged.end(), [](const isa::Descriptor& d) {
          return d.src.space == isa::Space::kSbuf && d.dst.space == isa::Space::kSbuf;
        }) == 36);
  CHECK(transfers_of(p, Queue::kScalar).size() == 36);
  CHECK(transfers_of(p, Queue::kSync).size() == 9 + 4);
  for (const isa::Instruction& i : p.stream(Queue::kScalar))
    if (i.op == Opcode::kTensorCopy) CHECK(i.shape == isa::Shape{128, {1, 1, 1, 64}});
  for (const isa::Instruction& i : p.stream(Queue::kTensor))
    if (i.op == Opcode::kLoadWeights) CHECK(i.src0.stride[3] == 1);
}

// TRACE conv2d_1: 36 transfers inside HBM of 16,384 elements each, then 36 loads.
TEST_CASE("convolution: weights transposed by DMA match the device profile", "[convolution]") {
  const isa::Program p = traced(DType::kFp32, WeightPath::kDmaTranspose);
  const auto transfers = transfers_of(p, Queue::kSync);
  REQUIRE(transfers.size() == 36 + 36 + 4);
  for (std::size_t n = 0; n < 36; ++n) {
    CHECK(transfers[n].src.space == isa::Space::kHbm);
    CHECK(transfers[n].dst.space == isa::Space::kHbm);
    CHECK(transfers[n].count == std::array<std::uint32_t, 4>{128, 1, 1, 128});
    CHECK(transfers[n].src.stride == std::array<std::int32_t, 4>{9, 0, 0, 256 * 9});
  }
  CHECK(count_of(p, Queue::kTensor, Opcode::kTranspose) == 0);
  CHECK(count_of(p, Queue::kTensor, Opcode::kMatmul) == 36);
}

TEST_CASE("convolution: shapes that the tiling does not support are refused by name", "[convolution]") {
  const model::MachineParams machine = tests::machine_of(1, 1, 1);
  CHECK_THROWS_WITH(with({{"in_channels", "200"}})->check(machine),
                    Catch::Contains("E-RUN-065") && Catch::Contains("workload.in_channels") &&
                        Catch::Contains("such as 128"));
  CHECK_THROWS_WITH(with({{"out_channels", "64"}})->check(machine),
                    Catch::Contains("E-RUN-065") && Catch::Contains("workload.out_channels"));
  CHECK_THROWS_WITH(with({{"filter", "4"}, {"height", "3"}})->check(machine),
                    Catch::Contains("E-RUN-066") && Catch::Contains("at most 3"));
  CHECK_THROWS_WITH(with({{"width", "515"}})->check(machine),
                    Catch::Contains("E-RUN-066") && Catch::Contains("at most 514"));
  CHECK_THROWS_WITH(with({{"height", "300"}, {"width", "300"}})->check(machine),
                    Catch::Contains("E-RUN-066") && Catch::Contains("at most 218"));
  CHECK_THROWS_WITH(with({{"weights", "residnt"}}), Catch::Contains("resident"));
  model::MachineParams oblong = machine;
  oblong.chip.core.tensor.columns = 64;
  CHECK_THROWS_WITH(with({})->check(oblong), Catch::Contains("E-RUN-065") && Catch::Contains("square"));
  CHECK_THROWS_WITH(workloads::convolution_program(machine, {1, 512, 512, 200, 200, 3, DType::kFp32},
                                                   WeightPath::kResident),
                    Catch::Contains("E-RUN-020") && Catch::Contains("'x'"));
}
