// SPDX-License-Identifier: Apache-2.0
// Adam, transposition, reductions and quantisation: golden values and equal times in both modes at odd sizes,
// and cases that the definitions refuse. Each case elaborates one machine; a second one runs in a child
// process.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/workload_run.h"
#include "workloads/optimizer/adam.h"
#include "workloads/optimizer/adam_definition.h"
#include "workloads/optimizer/adam_kernel.h"
#include "workloads/quantise/quantise.h"
#include "workloads/quantise/quantise_definition.h"
#include "workloads/reduction/reduction.h"
#include "workloads/reduction/reduction_definition.h"
#include "workloads/transpose/transpose.h"

namespace {

using namespace tahoma;
using tests::Settings;

Settings sizes(const char* rows, const char* columns, const char* dtype, Settings more = {}) {
  more.insert(more.end(), {{"rows", rows}, {"columns", columns}, {"dtype", dtype}});
  return more;
}

runtime::HostTensor tensor(isa::DType dtype, std::vector<std::uint64_t> shape,
                           const std::vector<float>& values) {
  runtime::HostTensor t = runtime::make_tensor("t", dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    isa::store_from_fp32(t.values.data() + i * isa::size_of(dtype), dtype, values[i]);
  return t;
}
runtime::HostTensor tensor(std::vector<std::uint64_t> shape, const std::vector<float>& values) {
  return tensor(isa::DType::kFp32, std::move(shape), values);
}

const runtime::MadeBy kUnknownMaker = [](std::uint64_t, std::uint64_t) { return std::string("nobody"); };

}  // namespace

TEST_CASE("adam: parameters on three cores, gradients in bf16, with a copy", "[adam]") {
  tests::check_workload(workloads::make_adam, {{"rows", "300"},
                                               {"columns", "77"},
                                               {"gradient", "bf16"},
                                               {"copy", "true"},
                                               {"step", "7"},
                                               {"cores", "3"}});
}
TEST_CASE("adam: the first step of one parameter", "[adam]") {
  tests::check_workload(workloads::make_adam, {{"rows", "1"}, {"columns", "1"}});
}
TEST_CASE("adam: rows of several tiles, no decay", "[adam]") {
  tests::check_workload(workloads::make_adam,
                        {{"rows", "129"}, {"columns", "4100"}, {"decay", "0"}, {"step", "100000"}});
}
TEST_CASE("adam: a shard takes all partitions unless its rows would be short", "[adam]") {
  const model::MachineParams machine = tests::default_machine();
  const std::uint64_t partitions = machine.chip.core.sbuf.partitions;
  for (std::uint64_t elements = partitions; elements <= partitions * 2048; elements += partitions) {
    const std::uint64_t columns = workloads::shard_columns(machine, elements), rows = elements / columns;
    INFO(elements << " elements: " << rows << " x " << columns);
    CHECK(rows * columns == elements);
    CHECK((rows <= partitions && (columns * sizeof(float) >= 512 || rows % 2 == 1)));
    if (elements % (partitions * partitions) == 0) CHECK(rows == partitions);
  }
  CHECK(workloads::shard_columns(machine, partitions * 4096) == 2048);  // the widest tile
}
TEST_CASE("adam: the definition refuses a wrong parameter or moment", "[adam]") {
  // beta1 = beta2 = 1/2 and step 1: m' = m / 2 + g / 2, both corrections are 2.
  const workloads::AdamSettings settings{0.5, 0.5, 0.5, 1, 0.25, 1};
  const auto p = tensor({1, 1}, {8}), g = tensor({1, 1}, {2}), m = tensor({1, 1}, {4}),
             v = tensor({1, 1}, {5});
  // m' = 3; v' = 2.5 + 2 = 4.5, its corrected root 3; p' = (1 - 1/8) 8 - 0.5 * 2 * 3 / (3 + 1) = 6.25.
  const workloads::AdamValues in{p, g, m, v, settings};
  const auto mismatches = [&](workloads::AdamOutput output, float got) {
    return workloads::check_adam(in, output, tensor({1, 1}, {got}), kUnknownMaker).mismatches;
  };
  CHECK(mismatches(workloads::AdamOutput::kParameter, 6.25F) == 0);
  CHECK(mismatches(workloads::AdamOutput::kParameter, 6.2501F) == 1);
  CHECK(mismatches(workloads::AdamOutput::kFirstMoment, 3) == 0);
  CHECK(mismatches(workloads::AdamOutput::kFirstMoment, 3.0001F) == 1);
  CHECK(mismatches(workloads::AdamOutput::kSecondMoment, 4.5F) == 0);
  CHECK(mismatches(workloads::AdamOutput::kSecondMoment, 4.5001F) == 1);
}

TEST_CASE("transpose: by the tensor engine, several strips, bf16", "[transpose]") {
  tests::check_workload(workloads::make_transpose, sizes("2100", "300", "bf16", {{"cores", "3"}}));
}
TEST_CASE("transpose: by the tensor engine, int32 passes bit by bit", "[transpose]") {
  tests::check_workload(workloads::make_transpose, sizes("1033", "131", "int32"));
}
TEST_CASE("transpose: by the tensor engine, one row", "[transpose]") {
  tests::check_workload(workloads::make_transpose, sizes("1", "3000", "uint16"));
}
TEST_CASE("transpose: by DMA, rows no multiple of 16, bf16", "[transpose]") {
  tests::check_workload(workloads::make_transpose,
                        sizes("2100", "300", "bf16", {{"by", "dma"}, {"cores", "3"}}));
}
TEST_CASE("transpose: by DMA, fewer than 16 rows, fp32", "[transpose]") {
  tests::check_workload(workloads::make_transpose, sizes("15", "131", "fp32", {{"by", "dma"}}));
}
TEST_CASE("transpose: by DMA, whole tiles, fp16", "[transpose]") {
  tests::check_workload(workloads::make_transpose, sizes("256", "128", "fp16", {{"by", "dma"}}));
}
TEST_CASE("transpose: elements of a byte are refused", "[transpose]") {
  CHECK_THROWS_WITH(tests::workload_with(workloads::make_transpose, {{"dtype", "int8"}}),
                    Catch::Contains("workload.dtype"));
}

TEST_CASE("reduction: sum over columns of several pieces on two cores, bf16", "[reduction]") {
  tests::check_workload(workloads::make_reduction, sizes("257", "5003", "bf16", {{"cores", "2"}}));
}
TEST_CASE("reduction: mean over one column, fp16", "[reduction]") {
  tests::check_workload(workloads::make_reduction, sizes("130", "1", "fp16", {{"op", "mean"}}));
}
TEST_CASE("reduction: maximum over columns is exact, bf16", "[reduction]") {
  tests::check_workload(workloads::make_reduction, sizes("130", "700", "bf16", {{"op", "max"}}));
}
TEST_CASE("reduction: minimum over columns folds halves, bf16", "[reduction]") {
  tests::check_workload(workloads::make_reduction, sizes("130", "5120", "bf16", {{"op", "min"}}));
}
TEST_CASE("reduction: minimum over columns, fp32", "[reduction]") {
  tests::check_workload(workloads::make_reduction, sizes("3", "4999", "fp32", {{"op", "min"}}));
}
TEST_CASE("reduction: each of three cores sums its rows, bf16", "[reduction]") {
  tests::check_workload(workloads::make_reduction,
                        sizes("389", "1100", "bf16", {{"over", "rows"}, {"cores", "3"}}));
}
TEST_CASE("reduction: mean over rows, fp32", "[reduction]") {
  tests::check_workload(workloads::make_reduction,
                        sizes("131", "515", "fp32", {{"over", "rows"}, {"op", "mean"}}));
}
TEST_CASE("reduction: maximum over rows is exact, fp16", "[reduction]") {
  tests::check_workload(workloads::make_reduction,
                        sizes("389", "1100", "fp16", {{"over", "rows"}, {"op", "max"}, {"cores", "2"}}));
}
TEST_CASE("reduction: minimum over a few rows, fp32", "[reduction]") {
  tests::check_workload(workloads::make_reduction,
                        sizes("5", "260", "fp32", {{"over", "rows"}, {"op", "min"}}));
}
TEST_CASE("reduction: sum over rows of the widest matrix, bf16", "[reduction]") {
  tests::check_workload(workloads::make_reduction, sizes("129", "16384", "bf16", {{"over", "rows"}}));
}
TEST_CASE("reduction: the definition refuses a wrong result", "[reduction]") {
  using workloads::ReductionOp;
  const auto x = tensor({2, 2}, {1, 5, -2, 3});
  const auto columns = [&](ReductionOp op, const std::vector<float>& got) {
    return workloads::check_reduction_over_columns(x, op, tensor({2, 1}, got), kUnknownMaker).mismatches;
  };
  CHECK(columns(ReductionOp::kSum, {6, 1}) == 0);
  CHECK(columns(ReductionOp::kSum, {6, 1.0001F}) == 1);
  CHECK(columns(ReductionOp::kMean, {3, 0.5F}) == 0);
  CHECK(columns(ReductionOp::kMax, {5, 3}) == 0);
  CHECK(columns(ReductionOp::kMin, {1, -2}) == 0);
  CHECK(columns(ReductionOp::kMin, {1, std::nextafter(-2.0F, 0.0F)}) == 1);
  const auto rows = [&](ReductionOp op, const std::vector<float>& got) {
    return workloads::check_reduction_over_rows(x, op, {{0, 2}}, tensor({1, 2}, got), kUnknownMaker)
        .mismatches;
  };
  CHECK(rows(ReductionOp::kSum, {-1, 8}) == 0);
  CHECK(rows(ReductionOp::kMax, {1, 5}) == 0);
  CHECK(rows(ReductionOp::kMax, {-2, 5}) == 1);
}

TEST_CASE("quantise: rows on three cores, bf16 to e4m3", "[quantise]") {
  tests::check_workload(workloads::make_quantise, sizes("389", "515", "bf16", {{"cores", "3"}}));
}
TEST_CASE("quantise: blocks, the last one shorter, fp16 to e5m2", "[quantise]") {
  tests::check_workload(workloads::make_quantise,
                        sizes("130", "515", "fp16", {{"group", "block"}, {"fp8", "fp8_e5m2"}}));
}
TEST_CASE("quantise: one element becomes the largest number, fp32 to e3m4", "[quantise]") {
  tests::check_workload(workloads::make_quantise, sizes("1", "1", "fp32", {{"fp8", "fp8_e3m4"}}));
}
TEST_CASE("quantise: the widest rows in blocks, fp32", "[quantise]") {
  tests::check_workload(workloads::make_quantise, sizes("129", "16384", "fp32", {{"group", "block"}}));
}
TEST_CASE("dequantise: rows on two cores to bf16", "[quantise]") {
  tests::check_workload(workloads::make_dequantise, sizes("300", "517", "bf16", {{"cores", "2"}}));
}
TEST_CASE("dequantise: blocks, the last one shorter, to fp32", "[quantise]") {
  tests::check_workload(workloads::make_dequantise, sizes("130", "700", "fp32", {{"group", "block"}}));
}
TEST_CASE("quantise: the definition refuses a wrong number or scale", "[quantise]") {
  const workloads::QuantiseShape shape{1, 2, isa::DType::kFp32, isa::DType::kFp8E4M3};
  const auto x = tensor({1, 2}, {480, -3});
  const auto fp8 = [](const std::vector<float>& values) {
    return tensor(isa::DType::kFp8E4M3, {1, 2}, values);
  };
  CHECK(workloads::check_scales(x, shape, tensor({1, 1}, {2}), kUnknownMaker).passed());
  CHECK_FALSE(workloads::check_scales(x, shape, tensor({1, 1}, {2.00001F}), kUnknownMaker).passed());
  CHECK(workloads::check_quantised(x, shape, fp8({240, -1.5F}), kUnknownMaker).passed());
  CHECK(workloads::check_quantised(x, shape, fp8({240, -1.625F}), kUnknownMaker).mismatches == 1);
  const auto scale = tensor({1, 1}, {2});
  CHECK(workloads::check_dequantised(fp8({240, -1.5F}), scale, shape, x, kUnknownMaker).passed());
  CHECK_FALSE(workloads::check_dequantised(fp8({240, -1.625F}), scale, shape, x, kUnknownMaker).passed());
}
