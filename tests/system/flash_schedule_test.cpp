// SPDX-License-Identifier: Apache-2.0
// The steps of a flash kernel against the definition of the mask, pair by pair, and its programs against the
// machine.
#include "workloads/attention/flash_schedule.h"

#include <catch2/catch.hpp>
#include <vector>

#include "isa/validate.h"
#include "model/base/error.h"
#include "runtime/machine.h"
#include "tests/support/machine_fixture.h"

namespace {

using namespace tahoma;
using namespace tahoma::workloads;

bool seen(const FlashShape& s, std::uint64_t query, std::uint64_t key) {
  return !s.causal || key <= query + s.kv_len - s.q_len;
}

const std::vector<FlashShape> kShapes{
    {1, 1, 1, 1, false},      {2, 5, 9, 4, false},     {1, 128, 512, 64, false}, {1, 129, 513, 64, false},
    {1, 1, 1, 8, true},       {2, 128, 128, 64, true}, {1, 129, 129, 64, true},  {1, 300, 1025, 128, true},
    {1, 700, 700, 100, true}, {3, 1, 1000, 128, true}, {1, 512, 513, 32, true},  {1, 257, 1300, 128, false},
};

}  // namespace

TEST_CASE("flash schedule: every visible pair is computed once, no hidden pair survives", "[attention]") {
  const FlashShape shape = GENERATE(from_range(kShapes));
  const FlashTiling tiling = tiling_of(tests::default_machine(), shape.dtype);
  std::vector<int> computed(shape.heads * shape.q_len * shape.kv_len);
  for (const FlashStep& step : flash_steps(shape, tiling))
    for (unsigned p = 0; p < step.rows; ++p)
      for (unsigned i = 0; i < step.keys; ++i)
        if (!step.masked || step.diagonal + static_cast<int>(p) >= static_cast<int>(i))
          ++computed[((step.head * shape.q_len) + step.query + p) * shape.kv_len + step.key + i];
  bool right = true;
  double pairs = 0;
  for (std::uint64_t row = 0; row < shape.heads * shape.q_len; ++row)
    for (std::uint64_t key = 0; key < shape.kv_len; ++key) {
      const int expected = seen(shape, row % shape.q_len, key) ? 1 : 0;
      right = right && computed[row * shape.kv_len + key] == expected;
      pairs += expected;
    }
  CHECK(right);
  CHECK(visible_pairs(shape) == pairs);
}

TEST_CASE("flash schedule: a row sees a key in the first block of its tile, and tiles begin and end once",
          "[attention]") {
  const FlashShape shape = GENERATE(from_range(kShapes));
  const FlashTiling tiling = tiling_of(tests::default_machine(), shape.dtype);
  bool open = false;
  for (const FlashStep& step : flash_steps(shape, tiling)) {
    CHECK(step.first == !open);
    if (step.first) CHECK((!step.masked || step.diagonal >= 0));
    CHECK((step.rows >= 1 && step.rows <= tiling.q_rows && step.keys >= 1 && step.keys <= tiling.kv_block));
    open = !step.last;
  }
  CHECK_FALSE(open);
}

TEST_CASE("flash kernel: programs respect the limits of the machine they are built for", "[attention]") {
  const isa::DType dtype = GENERATE(isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32);
  model::MachineParams machine = tests::default_machine();
  auto& core = machine.chip.core;
  const int variant = GENERATE(0, 1, 2, 3, 4);
  if (variant == 1) core.tensor.rows = core.tensor.columns = 64;
  if (variant == 2) core.tensor.columns = 32;
  if (variant == 3) core.tensor.moving_columns = 96;
  if (variant == 4) core.psum.per_partition.count = 4 * core.psum.bank.count;
  machine.check();
  for (FlashShape shape : kShapes) {
    shape.dtype = dtype;
    CHECK_NOTHROW(isa::validate(build_flash_kernel(shape, machine), runtime::limits_of(machine)));
  }
}

TEST_CASE("flash kernel: an SBUF without room for one round of blocks is refused by name", "[attention]") {
  model::MachineParams machine = tests::default_machine();
  machine.chip.core.sbuf.usable.count = 8 << 10;
  try {
    build_flash_kernel({1, 128, 4096, 128, false}, machine);
    FAIL("built");
  } catch (const base::UserError& error) {
    CHECK(error.code == "E-RUN-020");
  }
}
