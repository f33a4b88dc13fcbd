// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding: golden values at odd sizes, times that do not depend on the mode, and closed
// forms that the definition must satisfy.
#include "workloads/rope/rope.h"

#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "tests/support/program/workload_run.h"
#include "workloads/rope/rope_definition.h"

using namespace tahoma;

namespace {

void check(const tests::Settings& settings) { tests::check_workload(workloads::make_rope, settings); }

std::string nobody(std::uint64_t, std::uint64_t) { return "nobody"; }

void set(runtime::HostTensor& tensor, std::uint64_t at, float value) {
  const std::size_t size = isa::size_of(tensor.dtype);
  isa::store_from_fp32(tensor.values.data() + at * size, tensor.dtype, value);
}

}  // namespace

TEST_CASE("rope: one pair of one head of one token", "[rope][machine]") {
  check({{"tokens", "1"}, {"heads", "1"}, {"d", "2"}});
}

TEST_CASE("rope: halves, tokens sharded over three cores, bf16", "[rope][machine]") {
  check({{"tokens", "300"}, {"heads", "5"}, {"d", "78"}, {"cores", "3"}});
}

TEST_CASE("rope: interleaved pairs, heads in several pieces, fp16", "[rope][machine]") {
  check({{"tokens", "130"}, {"heads", "67"}, {"d", "128"}, {"pairs", "interleaved"}, {"dtype", "fp16"}});
}

TEST_CASE("rope: positions that are looked up, fp32", "[rope][machine]") {
  check({{"tokens", "257"},
         {"heads", "3"},
         {"d", "64"},
         {"positions", "1000"},
         {"dtype", "fp32"},
         {"cores", "2"}});
}

TEST_CASE("rope: interleaved pairs by looked up positions, bf16", "[rope][machine]") {
  check({{"tokens", "129"}, {"heads", "2"}, {"d", "36"}, {"positions", "40"}, {"pairs", "interleaved"}});
}

TEST_CASE("rope: a head of an odd number of elements is refused", "[rope]") {
  CHECK_THROWS_WITH(
      tests::workload_with(workloads::make_rope, {{"d", "63"}})->check(tests::machine_of(1, 1, 1)),
      Catch::Contains("E-RUN-096") && Catch::Contains("workload.d"));
}

// A quarter turn moves the first of a pair to the position of the second, and minus the second to that of the
// first.
TEST_CASE("rope: the definition is right for a quarter turn and finds a wrong element", "[rope]") {
  const bool interleaved = GENERATE(false, true);
  runtime::HostTensor x = runtime::make_tensor("x", isa::DType::kBf16, {3, 2, 8}), y = x;
  y.name = "y";
  runtime::HostTensor table = runtime::make_tensor("table", isa::DType::kBf16, {3, 8});
  for (std::uint64_t row = 0; row < 6; ++row)
    for (std::uint64_t i = 0; i < 4; ++i) {
      const std::uint64_t first = interleaved ? 2 * i : i, second = interleaved ? 2 * i + 1 : i + 4;
      const auto a = static_cast<float>(row * 8 + first + 1), b = static_cast<float>(row * 8 + second + 1);
      set(x, row * 8 + first, a);
      set(x, row * 8 + second, b);
      set(y, row * 8 + first, -b);
      set(y, row * 8 + second, a);
    }
  for (std::uint64_t row = 0; row < 3; ++row)
    for (std::uint64_t i = 4; i < 8; ++i) set(table, row * 8 + i, 1);
  const workloads::RopeTensors tensors{x, table, y, nullptr, interleaved};
  CHECK(workloads::check_rope(tensors, nobody).passed());
  set(y, 13, 100);
  const runtime::GoldenResult wrong = workloads::check_rope(tensors, nobody);
  CHECK(wrong.mismatches == 1);
  CHECK_THAT(wrong.first_mismatch, Catch::StartsWith("y[1, 5] = 100"));
}
