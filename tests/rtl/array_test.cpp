// SPDX-License-Identifier: Apache-2.0
// The RTL array against its law, at every moving row.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "model/base/error.h"
#include "model/engine/pipeline/timing_laws.h"
#include "model/rtl/array/built_arrays.h"
#include "tests/support/bench/array_traffic.h"
#include "tests/support/bench/machine_fixture.h"

namespace tahoma::rtl {
std::unique_ptr<ArrayGates> make_planted_SKEW();
std::unique_ptr<ArrayGates> make_planted_BANK();
std::unique_ptr<ArrayGates> make_planted_TIES_AWAY();
std::unique_ptr<ArrayGates> make_planted_FLUSH();
}  // namespace tahoma::rtl

namespace {

using namespace tahoma;
using rtl::ArrayInputs, rtl::MovingRow, rtl::WeightColumns;

constexpr std::uint64_t kRows = 100'000;

void stream(const isa::ArraySize& size, std::uint64_t rows) {
  CAPTURE(size.rows, size.columns);
  const auto gates = rtl::make_gates(size, "test");
  tests::ArrayTraffic traffic(*gates, size.rows * 1000 + size.columns);
  traffic.run(rows);
  CHECK(traffic.rows_compared() >= rows);
}

// The reason for the end of the traffic through this array, and the number of rows before it.
struct Stop {
  std::string code, text;
  base::ExitStatus status{};
  std::uint64_t rows = 0;
};
Stop stop_of(rtl::ArrayGates& gates) {
  constexpr std::uint64_t kSoon = 1000;
  tests::ArrayTraffic traffic(gates, 7);
  try {
    traffic.run(kSoon);
  } catch (const base::UserError& e) {
    return {e.code, e.message, e.status, traffic.rows_compared()};
  }
  return {};
}

void check_found(const Stop& stop) {
  CHECK(stop.code == "E-RTL-002");
  CHECK(stop.status == base::ExitStatus::kCheckFailed);
  CHECK(stop.rows < 1000);
}

WeightColumns weights_of(const rtl::ArrayGates& gates, unsigned first, unsigned count) {
  WeightColumns w;
  w.column = first;
  w.count = count;
  w.rows.assign(gates.rows(), 1);
  w.weights.assign(gates.rows(), {0x3F80, 0x3F80, 0x3F80, 0x3F80});
  return w;
}
MovingRow row_of(const rtl::ArrayGates& gates, std::uint32_t element) {
  MovingRow row;
  row.use.assign(gates.rows(), 1);
  row.elements.assign(gates.rows(), element);
  return row;
}

}  // namespace

TEST_CASE("array in gates: 100000 random rows over all sizes but the largest, none differs", "[rtl]") {
  std::vector<isa::ArraySize> sizes;
  for (const isa::ArraySize& size : rtl::built_sizes())
    if (size.rows * size.columns <= 256) sizes.push_back(size);
  REQUIRE(sizes.size() >= 6);
  for (const isa::ArraySize& size : sizes) stream(size, kRows / sizes.size() + 1);
}

TEST_CASE("array in gates: random rows through 32 x 32, none differs", "[rtl]") { stream({32, 32}, 5000); }

TEST_CASE("array in gates: 100000 random rows through every size, none differs", "[rtl][slow]") {
  for (const isa::ArraySize& size : rtl::built_sizes()) stream(size, kRows);
}

TEST_CASE("array in gates: array_cycles of every size and number of rows, counted by its clock", "[rtl]") {
  for (const isa::ArraySize& size : rtl::built_sizes()) {
    for (const unsigned rows : {1U, 2U, 7U, 64U}) {
      CAPTURE(size.rows, size.columns, rows);
      const auto gates = rtl::make_gates(size, "test");
      std::uint64_t load = 0;
      for (unsigned c = 0; c < size.columns; c += WeightColumns::kLanes, ++load) {
        const WeightColumns w = weights_of(*gates, c, std::min(WeightColumns::kLanes, size.columns - c));
        REQUIRE(gates->answer({nullptr, &w, true}).weight_ready);
        gates->clock();
      }
      CHECK(load ==
            static_cast<std::uint64_t>(std::ceil(
                size.columns * model::weight_cycles_per_column(isa::DType::kBf16, true,
                                                               tests::default_machine().chip.core.tensor))));
      const MovingRow row = row_of(*gates, 0x4000);  // 2.0
      std::uint64_t cycles = 0;
      for (unsigned in = 0, out = 0; out < rows; ++cycles, in += in < rows ? 1 : 0) {
        const auto& outputs = gates->answer({in < rows ? &row : nullptr, nullptr, true});
        if (outputs.result_valid) {
          ++out;
          REQUIRE(std::bit_cast<float>(outputs.result.back()) == 2.0F * static_cast<float>(size.rows));
        }
        gates->clock();
      }
      CHECK(cycles ==
            static_cast<std::uint64_t>(
                model::array_cycles(size.rows, size.columns, model::streaming_cycles(rows, 1)).count));
    }
  }
}

TEST_CASE("array in gates: weights load in the shadow of a tile that streams", "[rtl]") {
  const auto gates = rtl::make_gates({4, 4}, "test");
  rtl::LockStep lock_step(*gates, "test");
  WeightColumns w = weights_of(*gates, 0, 4);
  REQUIRE(lock_step.step({nullptr, &w, true}).weight_ready);
  const MovingRow row = row_of(*gates, 0x3F80);
  lock_step.step({&row, nullptr, true});
  CHECK_FALSE(gates->answer({&row, &w, true}).weight_ready);  // met by the rows inside
  w.bank = true;
  const auto both = lock_step.step({&row, &w, true});
  CHECK(both.weight_ready);
  CHECK(both.moving_ready);
}

TEST_CASE("array in gates: an error of the skew by one cycle is found in the first 1000 rows", "[rtl]") {
  check_found(stop_of(*rtl::make_planted_SKEW()));
}
TEST_CASE("array in gates: weights in the wrong bank are found in the first 1000 rows", "[rtl]") {
  check_found(stop_of(*rtl::make_planted_BANK()));
}
TEST_CASE("array in gates: ties rounded away from zero are found in the first 1000 rows", "[rtl]") {
  check_found(stop_of(*rtl::make_planted_TIES_AWAY()));
}
TEST_CASE("array in gates: subnormals flushed to zero are found in the first 1000 rows", "[rtl]") {
  check_found(stop_of(*rtl::make_planted_FLUSH()));
}

TEST_CASE("lock-step: a difference prints the histories of both sides", "[rtl]") {
  const Stop stop = stop_of(*rtl::make_planted_SKEW());
  INFO(stop.text);
  for (const char* part : {"the array of 4x4 and its law differ in cycle", "moving rows:", "law, columns",
                           "RTL, columns", "in the RTL"})
    CHECK(stop.text.find(part) != std::string::npos);
}

TEST_CASE("array in gates: a size that is not built names those that are and how to build it", "[rtl]") {
  try {
    rtl::require_built({5, 3}, "server0.chip00.core0.tensor");
    FAIL("nothing was thrown");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-001");
    CHECK(e.status == base::ExitStatus::kUsage);
    CHECK(e.message.find("-DTAHOMA_ARRAY_SIZES='4x4;") != std::string::npos);
    CHECK(e.message.find(";5x3'") != std::string::npos);
  }
}
