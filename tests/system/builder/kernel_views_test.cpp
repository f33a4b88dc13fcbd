// SPDX-License-Identifier: Apache-2.0
// Views of tiles and windows with gaps, transfers inside SBUF, and waits for written data.
#include <catch2/catch.hpp>

#include "isa/validate/validate.h"
#include "runtime/builder/kernel.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

struct ViewedTiles {
  Kernel kernel{"views", tests::default_machine()};
  Pool pool = kernel.sbuf("t", DType::kFp16, 90, 4);
  TileView tile = kernel.take(pool, 128, 90);
};

isa::Wait::Kind waited(const isa::Program& program, Queue queue) {
  return program.stream(queue).back().wait.kind;
}

}  // namespace

TEST_CASE("kernel: every n-th column is a tile with a step", "[kernel]") {
  const ViewedTiles t;
  const TileView view = t.tile.every(4, 9);
  CHECK(view.shape.count == std::array<std::uint16_t, 4>{1, 1, 1, 10});
  CHECK(view.tile.stride[3] == 9);
  CHECK(view.tile.offset == t.tile.tile.offset + 8);
  CHECK(t.tile.every(81, 9).shape.count[3] == 1);
  CHECK(view.every(1, 2).tile.stride[3] == 18);
  CHECK_THROWS_WITH(t.tile.every(90, 9), Catch::Contains("E-RUN-021"));
  CHECK_THROWS_WITH(t.tile.every(0, 0), Catch::Contains("E-RUN-021"));
  CHECK_THROWS_WITH(view.every(0, 5000), Catch::Contains("E-RUN-021") && Catch::Contains("45000"));
}

TEST_CASE("kernel: a box of an image is rows a pitch apart", "[kernel]") {
  const ViewedTiles t;
  const TileView box = t.tile.grid(11, 7, 10, 8);
  CHECK(box.shape.count == std::array<std::uint16_t, 4>{1, 1, 7, 8});
  CHECK(box.tile.stride == std::array<std::int16_t, 4>{0, 0, 10, 1});
  CHECK(box.tile.offset == t.tile.tile.offset + 22);
  CHECK_NOTHROW(t.tile.grid(12, 8, 10, 8));                                    // up to column 90
  CHECK_THROWS_WITH(t.tile.grid(13, 8, 10, 8), Catch::Contains("E-RUN-021"));  // beyond
  CHECK_THROWS_WITH(box.grid(0, 1, 1, 1), Catch::Contains("E-RUN-021"));       // of a box
}

TEST_CASE("kernel: the same bytes as another dtype are as many bytes", "[kernel]") {
  const ViewedTiles t;
  const TileView words = t.tile.as(DType::kInt32);
  CHECK(words.shape.count[3] == 45);
  CHECK(words.tile.dtype == DType::kInt32);
  CHECK(words.tile.offset == t.tile.tile.offset);
  CHECK(words.as(DType::kUint8).shape.count[3] == 180);
  CHECK_THROWS_WITH(t.tile.columns(0, 89).as(DType::kInt32), Catch::Contains("E-RUN-021"));
  CHECK_THROWS_WITH(t.tile.every(0, 9).as(DType::kInt32), Catch::Contains("E-RUN-021"));
}

TEST_CASE("kernel: engines that write interleaved columns do not wait for one another", "[kernel]") {
  ViewedTiles t;
  const TileView source = t.kernel.take(t.pool, 128, 10);
  t.kernel.copy(t.tile.every(0, 9), source, Queue::kVector);
  t.kernel.copy(t.tile.every(1, 9), source, Queue::kScalar);
  t.kernel.copy(source, t.tile.every(0, 9), Queue::kGpSimd);  // the vector engine has written it
  const isa::Program program = t.kernel.finish();
  CHECK(waited(program, Queue::kScalar) == isa::Wait::Kind::kNone);
  CHECK(waited(program, Queue::kGpSimd) == isa::Wait::Kind::kGe);
}

TEST_CASE("kernel: a transfer inside SBUF comes after its source and before its readers", "[kernel]") {
  ViewedTiles t;
  const TileView copy = t.kernel.take(t.pool, 128, 90);
  t.kernel.memset(t.tile, 1.0F);
  t.kernel.move(copy, t.tile, Queue::kSync);
  t.kernel.copy(t.tile, copy, Queue::kScalar);
  const isa::Program program = t.kernel.finish();
  CHECK_NOTHROW(isa::validate(program, runtime::limits_of(tests::default_machine())));
  CHECK(waited(program, Queue::kSync) == isa::Wait::Kind::kGe);
  CHECK(program.stream(Queue::kScalar).back().wait.value == isa::kDmaEngines);
  CHECK(program.descriptors.at(0).src.space == isa::Space::kSbuf);
  CHECK(program.descriptors.at(0).dst.space == isa::Space::kSbuf);
}

TEST_CASE("kernel: a transposed window goes through the columns of its matrix", "[kernel]") {
  Kernel kernel("turn", tests::default_machine());
  const HbmView from = kernel.argument("a", DType::kFp32, 64, 48),
                to = kernel.argument("b", DType::kFp32, 48, 64);
  HbmView turned = from;
  std::swap(turned.rows, turned.columns);
  std::swap(turned.row_stride, turned.column_stride);
  kernel.move(to.window(8, 16, 10, 12), turned.window(8, 16, 10, 12), Queue::kSync);
  kernel.store(from.window(40, 0, 8, 48), kernel.take(kernel.sbuf("t", DType::kFp32, 48), 8, 48),
               Queue::kGpSimd);  // rows that the transfer does not read, followed by rows that it may
  const isa::Program program = kernel.finish();
  const isa::DmaSide& src = program.descriptors.at(0).src;
  CHECK(src.offset == (16 * 48 + 8) * 4UL);
  CHECK(src.stride == std::array<std::int32_t, 4>{1, 0, 0, 48});
  CHECK(waited(program, Queue::kGpSimd) == isa::Wait::Kind::kNone);
}

TEST_CASE("kernel: a wait for a window is one for each transfer into it that is not known to have landed",
          "[kernel]") {
  ViewedTiles t;
  const HbmView y = t.kernel.argument("y", DType::kFp16, 256, 90);
  t.kernel.wait(Queue::kGpSimd, y);  // nothing has been written, so there is no wait
  t.kernel.store(y.window(0, 0, 128, 90), t.tile, Queue::kGpSimd);
  t.kernel.store(y.window(128, 0, 128, 90), t.tile, Queue::kGpSimd);
  t.kernel.wait(Queue::kGpSimd, y.window(128, 0, 128, 90));
  t.kernel.wait(Queue::kGpSimd, y);
  t.kernel.wait(Queue::kGpSimd, y);  // already known
  const isa::Program program = t.kernel.finish();
  const auto& stream = program.stream(Queue::kGpSimd);
  REQUIRE(stream.size() == 4);
  CHECK(stream[2].op == isa::Opcode::kSemWait);
  CHECK(stream[2].wait.semaphore == stream[1].update.semaphore);
  CHECK(stream[3].wait.semaphore == stream[0].update.semaphore);
}

TEST_CASE("kernel: rows from the last to the first are the same rows for their readers", "[kernel]") {
  ViewedTiles t;
  const HbmView y = t.kernel.argument("y", DType::kFp16, 8, 90);
  HbmView up = y.window(5, 0, 3, 90);  // rows 5, 4 and 3
  up.row_stride = -up.row_stride;
  t.kernel.store(up, t.tile.partitions(0, 3), Queue::kSync);
  t.kernel.load(t.kernel.take(t.pool, 1, 90), y.window(6, 0, 1, 90), Queue::kScalar);
  t.kernel.load(t.kernel.take(t.pool, 1, 90), y.window(3, 0, 1, 90), Queue::kGpSimd);
  const isa::Program program = t.kernel.finish();
  CHECK(waited(program, Queue::kScalar) == isa::Wait::Kind::kNone);
  CHECK(waited(program, Queue::kGpSimd) == isa::Wait::Kind::kGe);
}

// A tensor that was declared with rows of 8 and is written as 6 rows of 40.
TEST_CASE("kernel: windows of a tensor tracked by bytes wait for those that they overlap", "[kernel]") {
  struct Case {
    unsigned row, column, rows, columns;
    isa::Wait::Kind waits;
  };
  const auto [row, column, rows, columns, waits] =
      GENERATE(Case{0, 20, 4, 20, isa::Wait::Kind::kNone},  // beside it, in the same rows
               Case{4, 0, 2, 40, isa::Wait::Kind::kNone},   // behind it
               Case{1, 19, 5, 2, isa::Wait::Kind::kGe}, Case{3, 0, 1, 40, isa::Wait::Kind::kGe});
  ViewedTiles t;
  const HbmView memory = t.kernel.argument("memory", DType::kUint8, 1, 64);
  HbmView y = t.kernel.beside(memory, 4096, DType::kFp16, 30, 8);
  t.kernel.track_bytes(y);
  y.rows = 6;
  y.columns = 40;
  y.row_stride = 40;
  t.kernel.store(y.window(0, 0, 4, 20), t.tile.partitions(0, 4).columns(0, 20), Queue::kSync);
  t.kernel.store(y.window(row, column, rows, columns), t.tile.partitions(0, rows).columns(0, columns),
                 Queue::kGpSimd);
  CHECK(waited(t.kernel.finish(), Queue::kGpSimd) == waits);
}

TEST_CASE("kernel: slices of a tile are equal runs of its columns", "[kernel]") {
  const ViewedTiles t;
  const TileView slices = t.tile.slices(3);
  CHECK(slices.shape.count == std::array<std::uint16_t, 4>{1, 3, 1, 30});
  CHECK(slices.tile.stride == std::array<std::int16_t, 4>{0, 30, 0, 1});
  const TileView last = slices.slice(2);
  CHECK(last.shape.count == std::array<std::uint16_t, 4>{1, 1, 1, 30});
  CHECK(last.tile.offset == t.tile.tile.offset + 2 * 60);
  CHECK(slices.columns(5, 10).slice(1).tile.offset == t.tile.tile.offset + 2 * 35);
  CHECK(t.tile.slices(1).shape == t.tile.shape);
  CHECK_THROWS_WITH(t.tile.slices(4), Catch::Contains("E-RUN-021"));  // 90 columns
  CHECK_THROWS_WITH(slices.slice(3), Catch::Contains("E-RUN-021"));
  CHECK_THROWS_WITH(slices.slices(3), Catch::Contains("E-RUN-021"));
}

// Row r of a matrix holds r: a load of slices shows the source of each row.
TEST_CASE("kernel: rows of a window come as slices, interleaved or stacked", "[kernel][machine]") {
  Kernel kernel("slices", tests::default_machine());
  const HbmView from = kernel.argument("from", DType::kFp32, 12, 5),
                to = kernel.argument("to", DType::kFp32, 8, 9);
  const Pool pool = kernel.sbuf("t", DType::kFp32, 9, 2);
  const TileView interleaved = kernel.take(pool, 4, 9), stacked = kernel.take(pool, 4, 9);
  kernel.load(interleaved.slices(3), from.window(0, 1, 12, 3).slices(3));
  kernel.load(stacked.slices(3), from.window(0, 1, 12, 3).stacked(3));
  kernel.store(to.window(0, 0, 4, 9), interleaved);
  kernel.store(to.window(4, 0, 4, 9), stacked);
  CHECK_THROWS_WITH(from.slices(5), Catch::Contains("E-RUN-021"));
  CHECK_THROWS_WITH(kernel.load(interleaved, from.window(0, 1, 12, 3).slices(3)),
                    Catch::Contains("E-RUN-021"));
  CHECK_THROWS_WITH(kernel.store(from.window(0, 1, 12, 3).slices(3), interleaved),
                    Catch::Contains("E-RUN-021"));
  const auto program = std::make_shared<const isa::Program>(kernel.finish());
  runtime::Machine machine(tests::machine_of(1, 1, 1), model::Mode::kFunctional, {true, true});
  const auto source = machine.allocate(0, "from", DType::kFp32, {12, 5}),
             result = machine.allocate(0, "to", DType::kFp32, {8, 9});
  machine.declare_input(source);
  for (std::size_t i = 0; i < 60; ++i)
    isa::store_from_fp32(machine.bytes(source) + 4 * i, DType::kFp32, static_cast<float>(i));
  machine.load(0, program, {source.address, result.address});
  machine.run();
  CHECK(machine.findings().total() == 0);
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t s = 0; s < 3; ++s)
      for (std::size_t c = 0; c < 3; ++c) {
        const auto at = [&](std::size_t row) {
          return isa::load_as_fp32(machine.bytes(result) + 4 * (row * 9 + s * 3 + c), DType::kFp32);
        };
        CHECK(at(p) == static_cast<float>((3 * p + s) * 5 + c + 1));
        CHECK(at(4 + p) == static_cast<float>((4 * s + p) * 5 + c + 1));
      }
}
