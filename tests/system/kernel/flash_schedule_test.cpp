// SPDX-License-Identifier: Apache-2.0
// The steps of the flash kernels compared with the definition of the mask, pair by pair, and their programs
// on the machine.
#include "workloads/attention/flash_schedule.h"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "isa/validate/validate.h"
#include "model/base/error.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "workloads/attention/backward/flash_backward.h"
#include "workloads/attention/flash_masks.h"
#include "workloads/attention/flash_order.h"

namespace {

using namespace tahoma;
using namespace tahoma::workloads;

bool seen(const FlashShape& s, std::uint64_t query, std::uint64_t key) {
  if (!s.causal) return true;
  const std::uint64_t end = query + s.kv_len - s.q_len + 1;
  return key < end && (s.window == 0 || key + s.window >= end);
}

FlashShape shape_of(std::uint64_t heads, std::uint64_t q, std::uint64_t kv, std::uint64_t d, bool causal,
                    std::uint64_t window = 0, std::uint64_t heads_per_kv = 1, std::uint64_t parts = 1) {
  FlashShape shape{heads, q, kv, d, causal};
  shape.window = window;
  shape.heads_per_kv = heads_per_kv;
  shape.parts = parts;
  return shape;
}

const std::vector<FlashShape> kShapes{
    shape_of(1, 1, 1, 1, false),
    shape_of(2, 5, 9, 4, false),
    shape_of(1, 129, 513, 64, false),
    shape_of(1, 1, 1, 8, true),
    shape_of(2, 128, 128, 64, true),
    shape_of(1, 300, 1025, 128, true),
    shape_of(1, 700, 700, 100, true),
    shape_of(3, 1, 1000, 128, true, 0, 3),
    shape_of(1, 512, 513, 32, true),
    shape_of(1, 257, 2300, 128, false),
    shape_of(1, 700, 900, 64, true, 1),
    shape_of(1, 1300, 1300, 64, true, 100, 1, 2),
    shape_of(2, 600, 2700, 128, true, 999, 2),
    shape_of(1, 1500, 1500, 128, true, 0, 1, 3),
};

// Counts how often a tile of queries and a chunk of keys computes each of their pairs, and its mask.
struct Count {
  const FlashShape& shape;
  std::vector<int> pairs;
  explicit Count(const FlashShape& s) : shape(s), pairs(s.heads * s.q_len * s.kv_len) {}

  void add(std::uint64_t head, std::uint64_t query, unsigned rows, std::uint64_t key, std::uint64_t keys) {
    const Visibility v = visibility(shape, query, rows, key, keys);
    for (std::uint64_t p = 0; p < rows; ++p)
      for (std::uint64_t i = 0; i < keys; ++i) {
        const auto at = static_cast<std::int64_t>(i), row = static_cast<std::int64_t>(p);
        const bool below = v.upper == Visibility::kNoUpper || at <= v.upper + row;
        const bool above = v.lower == Visibility::kNoLower || at >= v.lower + row;
        if (v.all || (below && above)) ++pairs[(head * shape.q_len + query + p) * shape.kv_len + key + i];
      }
  }
  bool right() const {
    for (std::uint64_t row = 0; row < shape.heads * shape.q_len; ++row)
      for (std::uint64_t key = 0; key < shape.kv_len; ++key)
        if (pairs[row * shape.kv_len + key] != (seen(shape, row % shape.q_len, key) ? 1 : 0)) return false;
    return true;
  }
};

double pairs_of(const FlashShape& shape) {
  double pairs = 0;
  for (std::uint64_t query = 0; query < shape.q_len; ++query)
    for (std::uint64_t key = 0; key < shape.kv_len; ++key) pairs += seen(shape, query, key) ? 1 : 0;
  return static_cast<double>(shape.heads) * pairs;
}

model::MachineParams variant_of(int variant) {
  model::MachineParams machine = tests::default_machine();
  auto& core = machine.chip.core;
  if (variant == 1) core.tensor.rows = core.tensor.columns = 64;
  if (variant == 2) core.tensor.columns = 32;
  if (variant == 3) core.tensor.moving_columns = 96;
  if (variant == 4) core.psum.per_partition.count = 4 * core.psum.bank.count;
  machine.check();
  return machine;
}

}  // namespace

TEST_CASE("flash schedule: every visible pair is computed once, no hidden pair survives", "[attention]") {
  FlashShape shape = GENERATE(from_range(kShapes));
  const FlashTiling tiling = tiling_of(tests::default_machine(), shape);
  Count count(shape);
  for (shape.part = 0; shape.part < shape.parts; ++shape.part)
    for (const FlashStep& step : flash_steps(shape, tiling))
      for (const FlashTile& tile : step.tiles)
        for (std::uint64_t key = tile.key_begin; key < tile.key_end; key += tiling.chunk)
          count.add(step.head, step.query + tile.first, tile.rows, key,
                    std::min<std::uint64_t>(tiling.chunk, shape.kv_len - key));
  CHECK(count.right());
  CHECK(visible_pairs(shape) == pairs_of(shape));
}

TEST_CASE("flash schedule: a pair that is computed twice or not at all is found", "[attention]") {
  const FlashShape shape = shape_of(1, 3, 5, 1, true);
  Count count(shape);
  count.add(0, 0, 3, 0, 5);
  CHECK(count.right());
  count.pairs[0] = 0;
  CHECK_FALSE(count.right());
}

TEST_CASE("flash schedule: tiles open and close once, with steps of their group between", "[attention]") {
  const FlashShape shape = GENERATE(from_range(kShapes));
  const FlashTiling tiling = tiling_of(tests::default_machine(), shape);
  std::map<std::pair<std::uint64_t, std::uint64_t>, bool> open;
  for (const FlashStep& step : flash_steps(shape, tiling))
    for (const FlashTile& tile : step.tiles) {
      bool& is_open = open[{step.head, step.query + tile.first}];
      CHECK(tile.opens == !is_open);
      CHECK((tile.rows >= 1 && tile.rows <= tiling.q_rows));
      is_open = !tile.closes;
    }
  for (const auto& [tile, is_open] : open) CHECK_FALSE(is_open);
}

TEST_CASE("flash schedule: every edge of a mask has its tile", "[attention]") {
  const FlashShape shape = GENERATE(from_range(kShapes));
  const FlashTiling tiling = tiling_of(tests::default_machine(), shape);
  const auto edges = edges_of(shape, tiling.q_rows, tiling.chunk);
  CHECK((shape.causal || edges.empty()));
  for (std::uint64_t q = 0; q < shape.q_len; q += tiling.q_rows)
    for (std::uint64_t k = 0; k < shape.kv_len; k += tiling.chunk) {
      const Visibility v = visibility(shape, q, std::min<std::uint64_t>(tiling.q_rows, shape.q_len - q), k,
                                      std::min<std::uint64_t>(tiling.chunk, shape.kv_len - k));
      if (v.any && !v.all) CHECK(edges.count(v.edges()) == 1);
    }
}

TEST_CASE("flash schedule: parts share groups of queries, and behind a causal mask the work", "[attention]") {
  std::vector<double> work(2);
  std::vector<int> taken(32);
  for (std::uint64_t part = 0; part < 2; ++part)
    for (const std::uint64_t group : groups_of_part(32, part, 2)) {
      ++taken[group];
      work[part] += static_cast<double>(group) + 1;
    }
  CHECK(taken == std::vector<int>(32, 1));
  CHECK(work[0] == work[1]);
}

TEST_CASE("flash order: maxima are there before their step, and no step is far ahead", "[attention]") {
  const FlashShape shape = GENERATE(from_range(kShapes));
  const FlashTiling tiling = tiling_of(tests::default_machine(), shape);
  const auto steps = flash_steps(shape, tiling);
  const FlashOrder order = flash_order(steps, tiling);
  REQUIRE(order.rounds.size() == order.quads.size());
  FlashRound last = order.before;
  for (std::size_t round = 0; round < order.quads.size(); ++round) {
    const std::size_t step = order.quads[round].step;
    CHECK(last.rows_end > step);
    std::size_t started = step;
    for (std::size_t p = 0; p < order.rounds[round].pieces_end; ++p)
      started = std::max(started, order.pieces[p].step);
    CHECK(started - step < 5);  // kFlashStepsInFlight minus the step whose products are computed
    CHECK(order.rounds[round].pieces_end >= last.pieces_end);
    last = order.rounds[round];
  }
  CHECK(last.pieces_end == order.pieces.size());
  CHECK(last.rows_end == steps.size());
}

TEST_CASE("flash backward schedule: every visible pair is computed once, in any number of segments",
          "[attention]") {
  FlashShape shape = GENERATE(from_range(kShapes));
  shape.parts = 1;
  BackwardTiling tiling = backward_tiling_of(tests::default_machine(), shape);
  tiling.segment_tiles = GENERATE(1U, 3U, 1000U);
  Count count(shape);
  for (const BackwardSegment& segment : backward_segments(shape, tiling))
    for (const BackwardBlock& block : segment.blocks)
      for (const BackwardUnit& unit : block.units)
        for (std::uint64_t chunk = unit.begin; chunk < unit.end; ++chunk) {
          const BackwardTile& tile = segment.tiles[unit.tile];
          const std::uint64_t key = chunk * tiling.chunk;
          count.add(tile.head, tile.query, tile.rows, key,
                    std::min<std::uint64_t>(tiling.chunk, shape.kv_len - key));
        }
  CHECK(count.right());
}

TEST_CASE("flash kernel: programs respect the limits of the machine they are built for", "[attention]") {
  const isa::DType dtype = GENERATE(isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32);
  const model::MachineParams machine = variant_of(GENERATE(0, 1, 2, 3, 4));
  for (FlashShape shape : kShapes) {
    shape.dtype = dtype;
    shape.lse = true;
    CHECK_NOTHROW(isa::validate(build_flash_kernel(shape, machine), runtime::limits_of(machine)));
  }
}

TEST_CASE("flash backward kernel: programs respect the limits of the machine they are built for",
          "[attention]") {
  const isa::DType dtype = GENERATE(isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32);
  const model::MachineParams machine = variant_of(GENERATE(0, 1, 2, 3));
  for (FlashShape shape : kShapes) {
    shape.parts = 1;
    shape.dtype = dtype;
    CHECK_NOTHROW(isa::validate(build_flash_backward(shape, machine), runtime::limits_of(machine)));
  }
}

TEST_CASE("flash kernel: rows are not transposed into tiles that are not multiples of 16", "[attention]") {
  model::MachineParams machine = tests::default_machine();
  FlashShape shape{1, 128, 128, 64, false};
  shape.by_rows = true;
  CHECK_NOTHROW(build_flash_kernel(shape, machine));
  machine.chip.core.tensor.rows = 24;
  CHECK_THROWS_WITH(build_flash_kernel(shape, machine), Catch::Contains("E-ATT-006"));
}

TEST_CASE("flash kernel: an SBUF without space for one round of blocks is refused by name", "[attention]") {
  model::MachineParams machine = tests::default_machine();
  machine.chip.core.sbuf.usable.count = 8 << 10;
  try {
    build_flash_kernel({1, 128, 4096, 128, false}, machine);
    FAIL("built");
  } catch (const base::UserError& error) {
    CHECK(error.code == "E-RUN-020");
  }
}
