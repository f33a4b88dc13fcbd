// SPDX-License-Identifier: Apache-2.0
// Accumulation groups and array tiles that the kernel builder derives from matmuls, and such kernels on a
// machine whose array is smaller than its partitions.
#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/validate/validate.h"
#include "model/base/error.h"
#include "runtime/builder/kernel.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/reference/reference_gemm.h"

using namespace tahoma;
using isa::DType;
using isa::Queue;
using runtime::HbmView;
using runtime::Kernel;
using runtime::TileView;

namespace {

std::vector<isa::Instruction> of(const isa::Program& program, isa::Opcode op) {
  std::vector<isa::Instruction> found;
  for (const isa::Instruction& i : program.stream(Queue::kTensor))
    if (i.op == op) found.push_back(i);
  return found;
}

std::vector<bool> open_flags(const isa::Program& program) {
  std::vector<bool> flags;
  for (const isa::Instruction& i : of(program, isa::Opcode::kMatmul)) flags.push_back(i.open);
  return flags;
}

struct TensorTiles {
  Kernel kernel;
  TileView w, x, p, q, out;
  explicit TensorTiles(const model::MachineParams& machine = tests::default_machine())
      : kernel("k", machine) {
    const auto sbuf = kernel.sbuf("s", DType::kBf16, 128, 2);
    const auto psum = kernel.psum("p", DType::kFp32, 128, 2);
    w = kernel.take(sbuf, 128, 128);
    x = kernel.take(sbuf, 128, 128);
    p = kernel.take(psum, 128, 128);
    q = kernel.take(psum, 128, 128);
    out = kernel.take(kernel.sbuf("o", DType::kFp32, 128), 128, 128);
  }
};

// Four products of a block of `size` partitions with itself, each through its own part of the array.
isa::Program tiled_kernel(const model::MachineParams& machine, unsigned size, unsigned parts, unsigned n) {
  Kernel kernel("tiled", machine);
  const HbmView w = kernel.argument("w", DType::kBf16, 128, size),
                x = kernel.argument("x", DType::kBf16, 128, n),
                y = kernel.argument("y", DType::kFp32, 128, n);
  const TileView weights = kernel.take(kernel.sbuf("w", DType::kBf16, size), 128, size),
                 moving = kernel.take(kernel.sbuf("x", DType::kBf16, n), 128, n),
                 sums = kernel.take(kernel.psum("p", DType::kFp32, n), 128, n),
                 out = kernel.take(kernel.sbuf("y", DType::kFp32, n), 128, n);
  kernel.load(weights, w);
  kernel.load(moving, x);
  for (unsigned part = 0; part < parts; ++part)
    kernel.matmul(sums.partitions(part * size, size), weights.partitions(part * size, size),
                  moving.partitions(part * size, size), false);
  kernel.copy(out.partitions(0, parts * size), sums.partitions(0, parts * size));
  kernel.store(y.window(0, 0, parts * size, n), out.partitions(0, parts * size));
  return kernel.finish();
}

// y[part * size + m][n] = sum over k of w[part * size + k][m] * x[part * size + k][n], to the bit.
void check_on_machine(std::uint64_t array, unsigned size, unsigned n) {
  model::MachineParams params = tests::machine_of(1, 1, 1);
  params.chip.core.tensor.rows = params.chip.core.tensor.columns = array;
  const unsigned parts = 128 / size;
  CAPTURE(array, size);
  const auto program = std::make_shared<const isa::Program>(tiled_kernel(params, size, parts, n));
  isa::validate(*program, runtime::limits_of(params));
  runtime::Machine machine(params, model::Mode::kFunctional);
  const auto w = machine.allocate(0, "w", DType::kBf16, {128, size}),
             x = machine.allocate(0, "x", DType::kBf16, {128, n}),
             y = machine.allocate(0, "y", DType::kFp32, {128, n});
  const auto weights = tests::random_values(std::size_t{128} * size, DType::kBf16, 1),
             moving = tests::random_values(std::size_t{128} * n, DType::kBf16, 2);
  tests::store_all(machine.bytes(w), weights, DType::kBf16);
  tests::store_all(machine.bytes(x), moving, DType::kBf16);
  machine.load(0, program, {w.address, x.address, y.address});
  machine.run();
  const auto got = tests::load_all(machine.bytes(y), std::size_t{128} * n, DType::kFp32);
  std::size_t wrong = 0;
  for (unsigned row = 0; row < 128; ++row)
    for (unsigned column = 0; column < n; ++column) {
      float sum = 0;
      for (unsigned k = row / size * size; k < (row / size + 1) * size; ++k)
        sum = std::fma(weights[k * size + row % size], moving[k * n + column], sum);
      wrong += got[row * n + column] != sum;
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("kernel: a matmul is open exactly when the next to touch its results adds to them", "[kernel]") {
  TensorTiles t;
  t.kernel.matmul(t.p, t.w, t.x, false);  // 0: closed by the copy
  t.kernel.copy(t.out, t.p);
  t.kernel.matmul(t.p, t.w, t.x, false);  // 1: open
  t.kernel.matmul(t.q, t.w, t.x, false);  // 2: another tile, open as well
  t.kernel.matmul(t.p, t.w, t.x, true);   // 3: open
  t.kernel.matmul(t.q, t.w, t.x, true);   // 4: the last of its group
  t.kernel.matmul(t.p, t.w, t.x, true);   // 5: overwritten next
  t.kernel.matmul(t.p, t.w, t.x, false);  // 6: read before it is added to
  t.kernel.copy(t.out, t.p);
  t.kernel.matmul(t.p, t.w, t.x, true);  // 7: the last
  CHECK(open_flags(t.kernel.finish()) ==
        std::vector<bool>{false, true, true, true, false, false, false, false});
}

TEST_CASE("kernel: a group continues only over the same tile", "[kernel]") {
  TensorTiles t;
  const TileView half = t.p.columns(0, 64), other = t.p.columns(64, 64);
  t.kernel.matmul(half, t.w, t.x.columns(0, 64), false);   // 0: open, the next matmul writes other columns
  t.kernel.matmul(other, t.w, t.x.columns(0, 64), false);  // 1
  t.kernel.matmul(half, t.w, t.x.columns(0, 64), true);    // 2
  t.kernel.matmul(t.p, t.w, t.x, true);                    // 3: not the tile of 2, nor of 1
  CHECK(open_flags(t.kernel.finish()) == std::vector<bool>{true, false, false, false});
}

TEST_CASE("kernel: weights occupy the columns of their results and stay until their tile is reused",
          "[kernel]") {
  TensorTiles t;
  const auto use = [&](unsigned row, unsigned column) {
    t.kernel.matmul(t.p.partitions(column, 32).columns(0, 16), t.w.partitions(row, 32).columns(0, 32),
                    t.x.partitions(row, 32).columns(0, 16), false);
  };
  use(0, 0);
  use(32, 64);
  use(0, 0);  // both are still loaded
  use(32, 64);
  use(0, 96);  // the same weights in other columns
  t.kernel.matmul(t.p, t.w, t.x, false);
  use(0, 0);  // replaced by the whole tile
  const isa::Program program = t.kernel.finish();
  CHECK_NOTHROW(isa::validate(program, runtime::limits_of(tests::default_machine())));
  std::vector<unsigned> columns;
  for (const isa::Instruction& i : of(program, isa::Opcode::kLoadWeights)) columns.push_back(i.column);
  CHECK(columns == std::vector<unsigned>{0, 64, 96, 0, 0});
}

TEST_CASE("kernel: stationary and moving in different rows of the array are refused", "[kernel]") {
  TensorTiles t;
  try {
    t.kernel.matmul(t.p.partitions(0, 32), t.w.partitions(32, 32).columns(0, 32), t.x.partitions(64, 32),
                    false);
    FAIL("accepted");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RUN-021");
  }
}

TEST_CASE("machine: array of 32 under 128 partitions, each quarter in its turn", "[machine]") {
  check_on_machine(32, 32, 40);
}
TEST_CASE("machine: array of 64 under 128 partitions, in quarters", "[machine]") {
  check_on_machine(64, 32, 40);
}
TEST_CASE("machine: array of 64 under 128 partitions, in halves", "[machine]") {
  check_on_machine(64, 64, 40);
}
TEST_CASE("machine: array of 128, four tiles of 32 x 32 side by side", "[machine]") {
  check_on_machine(128, 32, 40);
}

TEST_CASE("kernel: weights are loaded again in another mode or with other tags", "[kernel]") {
  Kernel kernel("modes", tests::default_machine());
  const TileView w = kernel.take(kernel.sbuf("w", DType::kBf16, 64), 128, 64),
                 x = kernel.take(kernel.sbuf("x", DType::kBf16, 128), 128, 128);
  const auto tag_pool = kernel.sbuf("t", DType::kUint16, 16, 2);
  const TileView tags = kernel.take(tag_pool, 128, 16), others = kernel.take(tag_pool, 128, 16);
  const auto sums = kernel.psum("p", DType::kFp32, 128, 2);
  const TileView narrow = kernel.take(sums, 64, 64), wide = kernel.take(sums, 64, 128);
  const runtime::Stationary half(w, isa::MatmulMode::kSparse2of4, tags),
      other(w, isa::MatmulMode::kSparse2of4, others);
  kernel.matmul(wide, w, x, false);                 // load
  kernel.matmul(narrow, half, x.slices(2), false);  // load
  kernel.matmul(narrow, half, x.slices(2), true);   // still loaded
  kernel.matmul(narrow, other, x.slices(2), true);  // load
  kernel.memset(others, 0);
  kernel.matmul(narrow, other, x.slices(2), true);  // load: the tags have changed
  CHECK_THROWS_WITH(kernel.matmul(wide, half, x.slices(2), false), Catch::Contains("E-RUN-021"));
  std::vector<isa::MatmulMode> modes;
  for (const isa::Instruction& i : of(kernel.finish(), isa::Opcode::kLoadWeights)) modes.push_back(i.mode);
  using enum isa::MatmulMode;
  CHECK(modes == std::vector{kDense, kSparse2of4, kSparse2of4, kSparse2of4});
}
