// SPDX-License-Identifier: Apache-2.0
// Instructions through the RTL array: execute() itself compares every row with the law and PSUM with isa, and
// throws.
#include "model/rtl/array/tensor_gates.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "isa/core/program_error.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/table/table_fields.h"
#include "model/base/error.h"
#include "model/engine/pipeline/timing_laws.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/bench/tile_memory.h"
#include "tests/support/program/tensor_programs.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace tahoma;
using isa::DType, isa::MatmulMode, isa::Shape, isa::Space, isa::Tile;

constexpr unsigned kSide = 8;

model::TensorParams params() {
  model::TensorParams p = tests::default_machine().chip.core.tensor;
  p.rows = p.columns = kSide;
  return p;
}

struct Core {
  model::TensorParams tensor = params();
  test::TileMemory memory;
  rtl::TensorGates gates{"core.tensor", tensor};
  test::Numbers numbers{51};
  Core() { memory.weights.array = {kSide, kSide}; }

  void fill(const Tile& tile, const Shape& shape, bool wild) {
    test::for_each_element(shape, [&](unsigned p, const auto& i) {
      memory.set(tile, p, i, wild ? numbers.any() : numbers.ordinary());
    });
  }
  void fill_bits(const Tile& tile, const Shape& shape) {
    test::for_each_element(shape, [&](unsigned p, const auto& i) {
      const std::uint32_t word = numbers.word();
      std::memcpy(memory.at(tile, p, i), &word, isa::size_of(tile.dtype));
    });
  }
  void run(const isa::Instruction& i) {
    gates.execute(i, memory.view(), {0});
    const auto passes = model::passes_of(i, isa::weights_for(i, memory.view(), "test").standing.dtype);
    const auto streaming = model::streaming_cycles(isa::moving_columns(i), passes);
    REQUIRE(gates.took(streaming, {0}) == model::array_cycles(kSide, kSide, streaming));
  }
};

Shape shape_of(unsigned partitions, unsigned columns, bool double_row) {
  Shape shape = test::row_shape(partitions, columns);
  if (double_row) shape.count[isa::kSliceDim] = 2;
  return shape;
}

// Weights of K x M at a corner of the array and some moving columns, overwriting or not.
void matmul_of(Core& core, DType weights, DType moving, MatmulMode mode, bool wild) {
  const bool is_double = mode == MatmulMode::kDoubleRow;
  const unsigned row = core.numbers.below(kSide), k = 1 + core.numbers.below(kSide - row);
  const unsigned column = core.numbers.below(kSide), m = 1 + core.numbers.below(kSide - column);
  const Shape stationary = shape_of(k, m, is_double), x = shape_of(k, 1 + core.numbers.below(20), is_double);
  const auto partition = static_cast<std::uint8_t>(row);
  const Tile w{Space::kSbuf, weights, partition, 0, test::dense_strides(stationary)};
  const Tile src{Space::kSbuf, moving, partition, 4096, test::dense_strides(x)};
  const Tile dst{Space::kPsum, DType::kFp32, static_cast<std::uint8_t>(column), 64, {0, 0, 0, 1}};
  core.fill(w, stationary, wild);
  core.fill(src, x, wild);
  isa::execute(test::in_mode(test::load_weights(w, stationary, column), mode), core.memory.view());
  CAPTURE(isa::name_of(weights), isa::name_of(moving), isa::name_of(mode), row, k, column, m, x.count[3]);
  REQUIRE_NOTHROW(core.run(test::in_mode(test::matmul(dst, src, x, m, false), mode)));
  REQUIRE_NOTHROW(core.run(test::in_mode(test::matmul(dst, src, x, m, true), mode)));
}

constexpr DType kNarrow[] = {DType::kBf16, DType::kFp16, DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4};
constexpr DType kWide[] = {DType::kFp32, DType::kTf32};

}  // namespace

TEST_CASE("tensor gates: matmuls of all pairs of dtypes, on tiles anywhere, equal those of isa", "[rtl]") {
  Core core;
  for (int round = 0; round < 6; ++round) {
    for (const DType w : kNarrow)
      for (const DType x : kNarrow) matmul_of(core, w, x, MatmulMode::kDense, round % 2 == 0);
    for (const DType w : kWide)
      for (const DType x : kWide) matmul_of(core, w, x, MatmulMode::kDense, round % 2 == 0);
  }
  CHECK(core.gates.rows_compared() > 1000);
}

TEST_CASE("tensor gates: double_row and the modes of fp32 equal those of isa", "[rtl]") {
  Core core;
  for (int round = 0; round < 8; ++round) {
    for (const DType w : {DType::kFp8E4M3, DType::kFp8E5M2})
      for (const DType x : {DType::kFp8E4M3, DType::kFp8E5M2})
        matmul_of(core, w, x, MatmulMode::kDoubleRow, round % 2 == 0);
    for (const MatmulMode mode : {MatmulMode::kOneZeroStationary, MatmulMode::kOneZeroMoving})
      matmul_of(core, DType::kFp32, DType::kFp32, mode, round % 2 == 0);
  }
  CHECK(core.gates.rows_compared() > 500);
}

TEST_CASE("tensor gates: transposes preserve any bits", "[rtl]") {
  struct Turn {
    DType weights, moving, dst;
  };
  Core core;
  for (const Turn& turn : {Turn{DType::kBf16, DType::kBf16, DType::kBf16},
                           {DType::kFp16, DType::kBf16, DType::kFp32},
                           {DType::kFp8E4M3, DType::kBf16, DType::kUint16},
                           {DType::kFp32, DType::kFp32, DType::kFp32},
                           {DType::kInt32, DType::kFp32, DType::kInt32}}) {
    const unsigned k = 6, m = 7;
    const Shape stationary = test::row_shape(k, m), identity = test::row_shape(k, k);
    const Tile w{Space::kSbuf, turn.weights, 0, 0, test::dense_strides(stationary)};
    const Tile src{Space::kSbuf, turn.moving, 0, 4096, test::dense_strides(identity)};
    const Tile dst{Space::kPsum, turn.dst, 0, 64, {0, 0, 0, 1}};
    core.fill_bits(w, stationary);
    test::for_each_element(
        identity, [&](unsigned p, const auto& i) { core.memory.set(src, p, i, p == i[3] ? 1.0F : 0.0F); });
    isa::execute(test::load_weights(w, stationary), core.memory.view());
    CAPTURE(isa::name_of(turn.weights), isa::name_of(turn.dst));
    REQUIRE_NOTHROW(core.run(test::transpose(dst, src, identity, m)));
  }
}

TEST_CASE("tensor gates: sparse weights are refused", "[rtl]") {
  Core core;
  const Shape weights = test::row_shape(4, 4);
  const Shape moving{4, {1, 2, 1, 4}};
  const Tile w{Space::kSbuf, DType::kBf16, 0, 0, test::dense_strides(weights)};
  const Tile src{Space::kSbuf, DType::kBf16, 0, 4096, test::dense_strides(moving)};
  auto load = test::in_mode(test::load_weights(w, weights), MatmulMode::kSparse1of2);
  load.src1 = {Space::kSbuf, DType::kUint16, 0, 2048, {0, 0, 0, 1}};
  isa::execute(load, core.memory.view());
  const Tile dst{Space::kPsum, DType::kFp32, 0, 64, {0, 0, 0, 1}};
  try {
    core.gates.execute(test::in_mode(test::matmul(dst, src, moving, 4, false), MatmulMode::kSparse1of2),
                       core.memory.view(), {0});
    FAIL("nothing was thrown");
  } catch (const isa::ProgramError& e) {
    CHECK(std::string(e.code) == "E-RTL-003");
  }
}

TEST_CASE("tensor gates: a result that is not the sum of the gates' passes is found", "[rtl]") {
  Core core;
  const Shape weights = test::row_shape(4, 4), moving = test::row_shape(4, 3);
  const Tile w{Space::kSbuf, DType::kBf16, 0, 0, test::dense_strides(weights)};
  const Tile src{Space::kSbuf, DType::kBf16, 0, 4096, test::dense_strides(moving)};
  core.fill(w, weights, false);
  core.fill(src, moving, false);
  isa::execute(test::load_weights(w, weights), core.memory.view());
  // All columns at one address of PSUM: isa leaves one of them there.
  const Tile dst{Space::kPsum, DType::kFp32, 0, 64, {0, 0, 0, 0}};
  try {
    core.gates.execute(test::matmul(dst, src, moving, 4, false), core.memory.view(), {0});
    FAIL("nothing was thrown");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-005");
    CHECK(e.status == base::ExitStatus::kCheckFailed);
  }
}

TEST_CASE("tensor gates: timing mode moves empty rows for the time of the law", "[rtl]") {
  const model::TensorParams tensor = params();
  rtl::TensorGates gates("core.tensor", tensor);
  for (const std::int64_t rows : {1, 5, 64})
    CHECK(gates.took({rows}, {0}) == model::array_cycles(kSide, kSide, {rows}));
  CHECK(gates.rows_compared() == 70);
}

TEST_CASE("tensor gates: waves hold the instructions of the window", "[rtl]") {
  tests::TempDir folder;
  const auto size_with = [&](const std::string& name, std::int64_t until_ns) {
    model::TensorParams tensor = params();
    tensor.waves.folder = folder.path().string();
    tensor.waves.until = base::Duration{until_ns * 1'000'000};
    {
      rtl::TensorGates gates(name, tensor);
      for (std::int64_t ns = 0; ns < 100; ns += 10) gates.took({50}, {ns * 1'000'000});
    }
    return std::filesystem::file_size(folder / (name + ".fst"));
  };
  const auto none = size_with("none", 0), some = size_with("some", 20), all = size_with("all", 1000);
  CHECK(none < some);
  CHECK(some < all);
}

TEST_CASE("tensor gates: waves that cannot be written are an error", "[rtl]") {
  model::TensorParams tensor = params();
  tensor.waves.folder = "there/is/no/such/folder";
  rtl::TensorGates gates("core.tensor", tensor);
  try {
    gates.took({1}, {0});
    FAIL("nothing was thrown");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-004");
  }
}
