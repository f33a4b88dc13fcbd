// SPDX-License-Identifier: Apache-2.0
// The GEMM in every dtype and mode and with its epilogues: golden values, times that do not depend on the
// mode of the run, no races, and refused cases. A second machine in one case runs in a child process.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "tests/support/program/refusal_of.h"
#include "tests/support/program/workload_run.h"
#include "workloads/gemm/gemm.h"
#include "workloads/gemm/kernel/gemm_kernel.h"
#include "workloads/gemm/kernel/sparsity.h"

using namespace tahoma;
using isa::DType, isa::MatmulMode;

namespace {

// Edges in every direction.
void check(tests::Settings settings) {
  for (const auto& [key, value] : {std::pair{"m", "131"}, {"n", "517"}, {"k", "391"}})
    settings.insert(settings.begin(), {key, value});
  tests::check_workload(workloads::make_gemm, settings);
}

std::string refused(const tests::Settings& settings) {
  return tests::refusal_of(
      [&] { tests::workload_with(workloads::make_gemm, settings)->check(tests::machine_of(1, 1, 1)); });
}

// A by rows in double_row.
tests::Settings pairs(const tests::Settings& more) {
  tests::Settings all{{"a_layout", "rows"}, {"mode", "double_row"}, {"dtype", "fp8_e4m3"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

constexpr MatmulMode kSparseModes[] = {
    MatmulMode::kSparse4of16, MatmulMode::kSparse4of12, MatmulMode::kSparse4of8, MatmulMode::kSparse2of8,
    MatmulMode::kSparse2of4,  MatmulMode::kSparse1of4,  MatmulMode::kSparse1of2};

}  // namespace

TEST_CASE("gemm modes: tf32", "[gemm][machine]") { check({{"dtype", "tf32"}}); }
TEST_CASE("gemm modes: fp8_e4m3 into bf16", "[gemm][machine]") { check({{"dtype", "fp8_e4m3"}}); }
TEST_CASE("gemm modes: fp8_e5m2 into its own dtype", "[gemm][machine]") {
  check({{"dtype", "fp8_e5m2"}, {"out", "fp8_e5m2"}});
}
TEST_CASE("gemm modes: fp8_e3m4 into fp32", "[gemm][machine]") {
  check({{"dtype", "fp8_e3m4"}, {"out", "fp32"}});
}
TEST_CASE("gemm modes: double row of fp8_e4m3, an odd contraction", "[gemm][machine]") {
  check({{"dtype", "fp8_e4m3"}, {"mode", "double_row"}});
}
TEST_CASE("gemm modes: double row of fp8_e5m2, contraction shared", "[gemm][machine]") {
  check({{"dtype", "fp8_e5m2"}, {"mode", "double_row"}, {"shard.k", "2"}, {"shard.m", "2"}});
}
TEST_CASE("gemm modes: 4 of 16 in bf16", "[gemm][machine]") { check({{"mode", "sparse_4_16"}}); }
TEST_CASE("gemm modes: 4 of 12 in fp16", "[gemm][machine]") {
  check({{"mode", "sparse_4_12"}, {"dtype", "fp16"}});
}
TEST_CASE("gemm modes: 4 of 8 in fp8_e3m4", "[gemm][machine]") {
  check({{"mode", "sparse_4_8"}, {"dtype", "fp8_e3m4"}});
}
TEST_CASE("gemm modes: 2 of 8 in tf32", "[gemm][machine]") {
  check({{"mode", "sparse_2_8"}, {"dtype", "tf32"}});
}
TEST_CASE("gemm modes: 2 of 4 on four cores", "[gemm][machine]") {
  check({{"mode", "sparse_2_4"}, {"shard.m", "2"}, {"shard.n", "2"}});
}
TEST_CASE("gemm modes: 1 of 4 and 1 of 2 with an epilogue", "[gemm][machine]") {
  check({{"mode", "sparse_1_4"}, {"epilogue.bias", "rows"}, {"epilogue.activation", "silu"}});
}
TEST_CASE("gemm modes: 1 of 2, one element", "[gemm][machine]") {
  tests::check_workload(workloads::make_gemm, {{"m", "1"}, {"n", "1"}, {"k", "1"}, {"mode", "sparse_1_2"}});
}

TEST_CASE("gemm epilogue: bias of rows", "[gemm][machine]") { check({{"epilogue.bias", "rows"}}); }
TEST_CASE("gemm epilogue: bias of columns", "[gemm][machine]") { check({{"epilogue.bias", "columns"}}); }
TEST_CASE("gemm epilogue: bias of columns, gelu and residual, several cores", "[gemm][machine]") {
  check({{"epilogue.bias", "columns"},
         {"epilogue.activation", "gelu"},
         {"epilogue.residual", "true"},
         {"shard.m", "2"},
         {"shard.n", "4"}});
}
TEST_CASE("gemm epilogue: bias of rows, relu", "[gemm][machine]") {
  check({{"epilogue.bias", "rows"}, {"epilogue.activation", "relu"}, {"dtype", "fp32"}});
}
TEST_CASE("gemm epilogue: relu alone", "[gemm][machine]") { check({{"epilogue.activation", "relu"}}); }
TEST_CASE("gemm epilogue: tanh with a residual", "[gemm][machine]") {
  check({{"epilogue.activation", "tanh"}, {"epilogue.residual", "true"}, {"dtype", "fp16"}});
}
TEST_CASE("gemm epilogue: bias of rows with a residual, in fp32", "[gemm][machine]") {
  check({{"epilogue.bias", "rows"}, {"epilogue.residual", "true"}, {"dtype", "fp32"}});
}
TEST_CASE("gemm epilogue: gelu by its sigmoid, bias of columns", "[gemm][machine]") {
  check({{"epilogue.bias", "columns"}, {"epilogue.activation", "gelu_apprx_sigmoid"}});
}
TEST_CASE("gemm epilogue: more columns than a panel, so that biases turn over", "[gemm][machine]") {
  tests::check_workload(workloads::make_gemm, {{"m", "130"},
                                               {"n", "9000"},
                                               {"k", "2050"},
                                               {"epilogue.bias", "columns"},
                                               {"epilogue.activation", "sigmoid"}});
}

TEST_CASE("gemm: A by rows, a contraction in two parts, rows that are not a multiple of 16",
          "[gemm][machine]") {
  check({{"a_layout", "rows"}, {"shard.k", "2"}});
}
TEST_CASE("gemm: A by rows of one token, with an epilogue", "[gemm][machine]") {
  check({{"a_layout", "rows"}, {"m", "1"}, {"epilogue.bias", "columns"}, {"epilogue.activation", "silu"}});
}
TEST_CASE("gemm: A by rows in fp32", "[gemm][machine]") { check({{"a_layout", "rows"}, {"dtype", "fp32"}}); }

TEST_CASE("gemm: A by rows in double_row, of pairs of elements", "[gemm][machine]") {
  check(pairs({{"k", "300"}}));
}
TEST_CASE("gemm: one row of A in double_row", "[gemm][machine]") { check(pairs({{"k", "512"}, {"m", "1"}})); }
TEST_CASE("gemm: A by rows in double_row, a contraction in two parts", "[gemm][machine]") {
  check(pairs({{"k", "520"}, {"shard.k", "2"}, {"dtype", "fp8_e5m2"}}));
}
TEST_CASE("gemm: A by rows in double_row, several tiles in each direction", "[gemm][machine]") {
  check(pairs({{"k", "1030"}, {"m", "700"}, {"n", "1100"}}));
}
TEST_CASE("gemm: A by rows in double_row needs an even contraction", "[gemm]") {
  CHECK_THAT(refused(pairs({{"k", "301"}})),
             Catch::Contains("E-RUN-092") && Catch::Contains("even parts of k"));
  CHECK_THAT(refused(pairs({{"k", "302"}, {"shard.k", "2"}})), Catch::Contains("E-RUN-092"));
}

TEST_CASE("gemm modes: a dtype that the mode does not take is refused", "[gemm]") {
  CHECK_THAT(refused({{"mode", "double_row"}}), Catch::Contains("E-RUN-091") && Catch::Contains("fp8_e4m3"));
  CHECK_THAT(refused({{"mode", "double_row"}, {"dtype", "fp8_e3m4"}}), Catch::Contains("E-RUN-091"));
  CHECK_THAT(refused({{"mode", "sparse_2_4"}, {"dtype", "fp32"}}), Catch::Contains("E-RUN-091"));
}

TEST_CASE("gemm modes: settings that a published nest or a shared contraction lacks are refused", "[gemm]") {
  CHECK_THAT(refused({{"kernel", "naive"}, {"mode", "sparse_2_4"}}), Catch::Contains("E-RUN-092"));
  CHECK_THAT(refused({{"kernel", "blocked"}, {"epilogue.residual", "true"}}), Catch::Contains("E-RUN-092"));
  CHECK_THAT(refused({{"shard.k", "2"}, {"mode", "sparse_2_4"}}), Catch::Contains("E-RUN-092"));
  CHECK_THAT(refused({{"shard.k", "2"}, {"epilogue.bias", "rows"}}), Catch::Contains("E-RUN-092"));
  CHECK(refused({{"shard.k", "2"}, {"dtype", "fp8_e4m3"}, {"mode", "double_row"}}) == "accepted");
  CHECK_THAT(refused({{"a_layout", "rows"}, {"mode", "sparse_2_4"}}), Catch::Contains("E-RUN-092"));
  CHECK_THAT(refused({{"a_layout", "rows"}, {"dtype", "fp8_e4m3"}}), Catch::Contains("E-RUN-092"));
  CHECK_THAT(refused({{"a_layout", "rows"}, {"kernel", "blocked"}}),
             Catch::Contains("E-RUN-092") && Catch::Contains("workload.a_layout"));
}

TEST_CASE("sparsity: pruning keeps the largest of every group, the first of equal ones", "[gemm]") {
  runtime::HostTensor a = runtime::make_tensor("a", DType::kFp32, {1, 7});
  const float values[] = {1, -3, 2, 3, 5, 0, 5};
  for (std::size_t i = 0; i < 7; ++i) isa::store_from_fp32(a.values.data() + 4 * i, a.dtype, values[i]);
  workloads::prune(a, MatmulMode::kSparse2of4);
  const float kept[] = {0, -3, 0, 3, 5, 0, 5};
  for (std::uint64_t i = 0; i < 7; ++i) CHECK(a.at(0, i) == kept[i]);
  workloads::prune(a, MatmulMode::kSparse1of4);
  const float fewer[] = {0, -3, 0, 0, 5, 0, 0};
  for (std::uint64_t i = 0; i < 7; ++i) CHECK(a.at(0, i) == fewer[i]);
}

TEST_CASE("sparsity: the compressed form put back in its places is the matrix", "[gemm]") {
  for (const MatmulMode mode : kSparseModes) {
    const unsigned kept = isa::row_of(mode).kept, group = kept * isa::row_of(mode).slices;
    runtime::HostTensor a = runtime::generate_input("a", DType::kBf16, {9, 50}, 5);
    workloads::prune(a, mode);
    CHECK_NOTHROW(workloads::check_pruned(a, mode, "a"));
    const std::uint64_t rows = (50 + group - 1) / group * kept;
    std::vector<std::byte> weights(rows * 9 * 2), tags(rows * 3 * 2);
    workloads::compress(a, {0, 0, 9, 50}, mode, weights.data(), tags.data());
    for (std::uint64_t m = 0; m < 9; ++m) {
      std::vector<float> restored(rows / kept * group);
      std::vector<int> places(restored.size());
      for (std::uint64_t p = 0; p < rows; ++p) {
        std::uint16_t packed = 0;
        std::memcpy(&packed, tags.data() + (p * 3 + m / 4) * 2, 2);
        const std::uint64_t k = p / kept * group + (packed >> m % 4 * 4 & 15U);
        REQUIRE(k < restored.size());
        restored[k] += isa::load_as_fp32(weights.data() + (p * 9 + m) * 2, DType::kBf16);
        CHECK(++places[k] == 1);  // every slot of a group has its own place
      }
      for (std::uint64_t k = 0; k < 50; ++k) CHECK(restored[k] == a.at(m, k));
    }
  }
}

TEST_CASE("sparsity: a group with more weights than the mode keeps is refused at its place", "[gemm]") {
  runtime::HostTensor a = runtime::make_tensor("a", DType::kFp32, {3, 8});
  for (const std::uint64_t column : {4, 5, 7})
    isa::store_from_fp32(a.values.data() + 4 * (8 + column), a.dtype, 1.0F);
  const std::string text =
      tests::refusal_of([&] { workloads::check_pruned(a, MatmulMode::kSparse2of4, "a.npy"); });
  CHECK_THAT(text, Catch::Contains("E-RUN-090") && Catch::Contains("row 1, columns 4..7 have 3"));
  CHECK_NOTHROW(workloads::check_pruned(a, MatmulMode::kSparse4of8, "a.npy"));
}

TEST_CASE("gemm: where all of a stays in SBUF, each of its elements is loaded once", "[gemm][blocking]") {
  const model::MachineParams machine = tests::default_machine();
  workloads::GemmShape shape{4096, 4096, 4096};
  shape.mode = MatmulMode::kSparse4of16;
  REQUIRE(workloads::choose_blocking(machine, shape).all_strips);
  const isa::Program program = workloads::gemm_program(machine, shape);
  std::vector<std::uint64_t> elements(program.args.size());
  for (const isa::Instruction& i : program.stream(isa::Queue::kSync)) {
    if (i.op != isa::Opcode::kDmaCopy) continue;
    const isa::Descriptor& d = program.descriptors[i.descriptor];
    elements.at(d.src.arg) += std::uint64_t{d.count[0]} * d.count[1] * d.count[2] * d.count[3];
  }
  CHECK(elements == std::vector<std::uint64_t>{1024 * 4096, 4096 * 4096, 0, 1024 * 1024});  // a, b, c, tags
}
