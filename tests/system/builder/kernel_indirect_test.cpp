// SPDX-License-Identifier: Apache-2.0
// Transfers of the kernel builder with row numbers: a permutation and its inverse give the identity.
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <vector>

#include "isa/validate/validate.h"
#include "runtime/builder/kernel.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr unsigned kRows = 50, kColumns = 24, kTable = 70;

// y[number[i]] = table[number[i]] for kRows of the kTable rows.
isa::Program through_sbuf() {
  Kernel k("indirect", tests::default_machine());
  const HbmView numbers = k.argument("numbers", DType::kInt32, kRows, 1);
  const HbmView table = k.argument("table", DType::kBf16, kTable, kColumns);
  const HbmView y = k.argument("y", DType::kBf16, kTable, kColumns);
  k.control(numbers);
  const TileView column = k.take(k.sbuf("numbers", DType::kInt32, 1), kRows, 1),
                 rows = k.take(k.sbuf("rows", DType::kBf16, kColumns), kRows, kColumns);
  k.load(column, numbers);
  k.gather(rows, table, column);
  k.scatter(y, rows, column);
  return k.finish();
}

struct Tiles {
  Kernel kernel{"refused", tests::default_machine()};
  HbmView table = kernel.argument("table", DType::kBf16, kTable, kColumns);
  TileView rows = kernel.take(kernel.sbuf("rows", DType::kBf16, kColumns), kRows, kColumns);
  TileView numbers(DType dtype, unsigned partitions, unsigned columns) {
    return kernel.take(kernel.sbuf("numbers", dtype, columns), partitions, columns);
  }
};

}  // namespace

TEST_CASE("kernel: rows that are gathered and scattered by the same numbers come to their places",
          "[kernel]") {
  runtime::Machine machine(tests::default_machine(), model::Mode::kFunctional, {true, true});
  const runtime::Tensor numbers = machine.allocate(0, "numbers", DType::kInt32, {kRows, 1}),
                        table = machine.allocate(0, "table", DType::kBf16, {kTable, kColumns}),
                        y = machine.allocate(0, "y", DType::kBf16, {kTable, kColumns});
  std::vector<std::int32_t> number(kRows);
  for (unsigned i = 0; i < kRows; ++i) number[i] = static_cast<std::int32_t>((i * 37 + 11) % kTable);
  std::vector<std::uint16_t> values(kTable * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i);
  std::memcpy(machine.bytes(numbers), number.data(), number.size() * 4);
  std::memcpy(machine.bytes(table), values.data(), values.size() * 2);
  std::memset(machine.bytes(y), 0, values.size() * 2);
  for (const runtime::Tensor* input : {&numbers, &table}) machine.declare_input(*input);
  const auto program = std::make_shared<const isa::Program>(through_sbuf());
  isa::validate(*program, runtime::limits_of(machine.params()));
  machine.load(0, program, {numbers.address, table.address, y.address});
  machine.run();
  CHECK(machine.findings().first().empty());
  std::vector<std::uint16_t> want(values.size());
  for (const std::int32_t row : number)
    for (unsigned c = 0; c < kColumns; ++c) {
      const std::size_t at = static_cast<std::size_t>(row) * kColumns + c;
      want[at] = values[at];
    }
  CHECK(std::memcmp(machine.bytes(y), want.data(), want.size() * 2) == 0);
}

TEST_CASE("kernel: software on GpSimd writes the descriptors of rows by number", "[kernel]") {
  const isa::Program program = through_sbuf();
  const auto& rung = program.stream(isa::Queue::kGpSimd);
  const auto of = [&](isa::Indirection indirection) {
    for (const isa::Instruction& i : rung)
      if (i.indirect == indirection) return i;
    FAIL("no such transfer");
    return isa::Instruction{};
  };
  for (const isa::Indirection indirection : {isa::Indirection::kGather, isa::Indirection::kScatter}) {
    const isa::Instruction i = of(indirection);
    CHECK(i.dge == isa::Dge::kSw);
    CHECK(i.extent == kTable);
    CHECK(i.result.dtype == DType::kInt32);
  }
}

TEST_CASE("kernel: row numbers that are not a column of integers, one for each partition, are refused",
          "[kernel]") {
  Tiles t;
  const auto wrong = Catch::Contains("E-RUN-021");
  CHECK_THROWS_WITH(t.kernel.gather(t.rows, t.table, t.numbers(DType::kFp32, kRows, 1)), wrong);
  CHECK_THROWS_WITH(t.kernel.gather(t.rows, t.table, t.numbers(DType::kInt32, kRows, 2)), wrong);
  CHECK_THROWS_WITH(t.kernel.scatter(t.table, t.rows, t.numbers(DType::kInt32, kRows - 1, 1)), wrong);
  CHECK_THROWS_WITH(t.kernel.gather(t.rows.columns(0, 3), t.table, t.numbers(DType::kInt32, kRows, 1)),
                    wrong);
  CHECK_THROWS_WITH(t.kernel.scatter(t.table, t.rows.columns(0, 3), t.numbers(DType::kInt32, kRows, 1)),
                    wrong);
}
