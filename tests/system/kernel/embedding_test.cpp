// SPDX-License-Identifier: Apache-2.0
// The embedding: rows by number bit by bit, times that do not depend on the mode, and ids that are refused.
#include "workloads/embedding/embedding.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "model/base/error.h"
#include "tests/support/program/workload_run.h"
#include "workloads/common/row_numbers.h"

using namespace tahoma;

namespace {

void check(const tests::Settings& settings) { tests::check_workload(workloads::make_embedding, settings); }

runtime::HostTensor numbers(const std::vector<std::int32_t>& values) {
  runtime::HostTensor tensor = runtime::make_tensor("ids", isa::DType::kInt32, {values.size(), 1});
  std::memcpy(tensor.values.data(), values.data(), values.size() * 4);
  return tensor;
}

}  // namespace

TEST_CASE("embedding: one id, one row, one element", "[embedding][machine]") {
  check({{"tokens", "1"}, {"vocabulary", "1"}, {"columns", "1"}});
}

TEST_CASE("embedding: ids sharded over three cores, bf16", "[embedding][machine]") {
  check({{"tokens", "1001"}, {"vocabulary", "777"}, {"columns", "130"}, {"cores", "3"}});
}

TEST_CASE("embedding: fp32 rows, whole tiles only", "[embedding][machine]") {
  check({{"tokens", "512"}, {"vocabulary", "50"}, {"columns", "33"}, {"dtype", "fp32"}});
}

TEST_CASE("embedding: more ids than row numbers are loaded at a time, fp8", "[embedding][machine]") {
  check({{"tokens", "8321"}, {"vocabulary", "300"}, {"columns", "16"}, {"dtype", "fp8_e4m3"}});
}

TEST_CASE("embedding: ids outside the table are refused and named", "[embedding]") {
  const auto refuse = workloads::refuse_rows_beyond(10);
  CHECK_NOTHROW(refuse(numbers({0, 9, 5})));
  CHECK_THROWS_WITH(refuse(numbers({0, 9, 10})), Catch::Contains("E-RUN-099") &&
                                                     Catch::Contains("workload.inputs.ids") &&
                                                     Catch::Contains("number 2 is 10; expected 0 .. 9"));
  CHECK_THROWS_WITH(refuse(numbers({-1})), Catch::Contains("number 0 is -1"));
}

TEST_CASE("embedding: generated ids are in the table and differ", "[embedding]") {
  runtime::HostTensor ids = numbers(std::vector<std::int32_t>(1000));
  workloads::any_rows_below(7)(ids, 3);
  CHECK_NOTHROW(workloads::refuse_rows_beyond(7)(ids));
  std::vector<int> seen(7);
  for (std::uint64_t i = 0; i < 1000; ++i) ++seen[static_cast<std::size_t>(workloads::row_number(ids, i))];
  for (const int count : seen) CHECK(count > 80);
}
