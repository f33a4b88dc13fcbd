// SPDX-License-Identifier: Apache-2.0
// Tiles of the array side by side, and weights loaded in their shadow: the pipeline alone, against closed
// forms.
#include <catch2/catch.hpp>

#include "model/engine/pipeline/pipeline.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using base::Cycles;
using isa::DType;
using isa::Opcode;

namespace {

constexpr std::uint16_t kMoving = 512;

struct Block {
  unsigned row, rows, column, columns;
};

isa::Instruction on(Opcode op, const Block& b, DType dtype = DType::kBf16) {
  isa::Instruction i;
  i.op = op;
  const std::uint16_t n = op == Opcode::kLoadWeights ? static_cast<std::uint16_t>(b.columns) : kMoving;
  i.shape = {static_cast<std::uint8_t>(b.rows), {1, 1, 1, n}};
  i.src0 = {isa::Space::kSbuf, dtype, static_cast<std::uint8_t>(b.row), 0, {0, 0, 0, 1}};
  if (op == Opcode::kLoadWeights) {
    i.column = static_cast<std::uint8_t>(b.column);
    return i;
  }
  i.columns = static_cast<std::uint8_t>(b.columns);
  i.dst = {isa::Space::kPsum, DType::kFp32, static_cast<std::uint8_t>(b.column), 0, {0, 0, 0, 1}};
  return i;
}

model::TensorParams params(std::uint64_t size = 128) {
  static const model::MachineParams machine = tests::default_machine();
  model::TensorParams p = machine.chip.core.tensor;
  p.throttle = false;
  p.rows = p.columns = size;
  return p;
}

// Cycles from the first matmul's start to the last result; weights are loaded long before.
struct Run {
  std::vector<std::int64_t> starts;
  std::int64_t last_complete = 0;
  base::Duration busy;
  std::uint64_t flops = 0;
};
Run run_stream(const std::vector<Block>& loads, const std::vector<Block>& matmuls,
               const model::TensorParams& p) {
  const auto pipeline = model::make_tensor_pipeline(p);
  model::Ledger ledger;
  base::Time at{0};
  for (const Block& b : loads) at = pipeline->issue(on(Opcode::kLoadWeights, b), at, ledger).next;
  at = base::Time{0} + base::Clock(p.clock).length({100'000});
  const auto cycle = [&](base::Time t) { return base::Clock(p.clock).at_or_after(t).count - 100'000; };
  Run r;
  for (const Block& b : matmuls) {
    const model::Issue issue = pipeline->issue(on(Opcode::kMatmul, b), at, ledger);
    at = issue.next;
    r.starts.push_back(cycle(issue.start));
    r.last_complete = std::max(r.last_complete, cycle(issue.complete));
  }
  base::EngineMeasurement m;
  ledger.fill(m);
  r.busy = m.time[static_cast<std::size_t>(base::StallReason::kBusy)];
  r.flops = pipeline->counted().hardware_flops;
  return r;
}

std::vector<Block> row_tiles() {
  return {{0, 32, 0, 128}, {32, 32, 0, 128}, {64, 32, 0, 128}, {96, 32, 0, 128}};
}

}  // namespace

TEST_CASE("tensor pipeline: four row tiles take the time of one and three pitches", "[timing]") {
  auto p = params();
  for (const std::int64_t pitch : {6, 0, 20}) {
    p.tile_pitch = {pitch};
    const std::int64_t apart = std::max(pitch, p.back_to_back.count);  // the sequencer's own pace
    const Run one = run_stream(row_tiles(), {row_tiles()[0]}, p),
              four = run_stream(row_tiles(), row_tiles(), p);
    CHECK(four.last_complete == one.last_complete + 3 * apart);
    CHECK(four.starts == std::vector<std::int64_t>{0, apart, 2 * apart, 3 * apart});
    CHECK(four.flops == 4 * one.flops);
    CHECK(base::Clock(p.clock).nearest(four.busy - one.busy).count == 3 * apart);
  }
}

TEST_CASE("tensor pipeline: sixteen tiles of 32 x 32 run side by side", "[timing]") {
  const auto p = params();
  CHECK(p.tile_pitch == p.issue_overhead);  // the assumption about it
  std::vector<Block> all;
  for (unsigned row = 0; row < 128; row += 32)
    for (unsigned column = 0; column < 128; column += 32) all.push_back({row, 32, column, 32});
  const Run one = run_stream(all, {all[0]}, p), sixteen = run_stream(all, all, p);
  CHECK(sixteen.last_complete == one.last_complete + 15 * p.tile_pitch.count);
}

TEST_CASE("tensor pipeline: matmuls on one tile, or on tiles that overlap, follow each other", "[timing]") {
  const auto p = params();
  const std::int64_t interval = kMoving + p.issue_overhead.count;
  const Block corner{0, 32, 0, 32};
  CHECK(run_stream({corner}, {corner, corner, corner}, p).starts ==
        std::vector<std::int64_t>{0, interval, 2 * interval});
  // Rows 0..63 overlap both tiles; the other half of the rows does not.
  const std::vector<Block> mixed{{0, 32, 0, 128}, {32, 32, 0, 128}, {0, 64, 0, 128}, {64, 64, 0, 128}};
  const std::int64_t pitch = p.tile_pitch.count;
  CHECK(run_stream({mixed[0], mixed[1], mixed[3]}, mixed, p).starts ==
        std::vector<std::int64_t>{0, pitch, pitch + interval, 2 * pitch + interval});
  // 33 rows take a tile of 64.
  CHECK(run_stream({{0, 33, 0, 128}}, {{0, 33, 0, 128}, {32, 32, 0, 128}}, p).starts[1] == interval);
}

TEST_CASE("tensor pipeline: a tile's matmul waits for its own weights only", "[timing]") {
  const auto p = params();
  const auto pipeline = model::make_tensor_pipeline(p);
  const base::Clock clock(p.clock);
  model::Ledger ledger;
  const Block first{0, 64, 0, 128}, second{64, 64, 0, 128};
  base::Time at = pipeline->issue(on(Opcode::kLoadWeights, first), base::Time{0}, ledger).next;
  at = clock.edge({10'000});
  pipeline->decoded(at);
  const auto load = pipeline->issue(on(Opcode::kLoadWeights, second), at, ledger);
  const auto beside = pipeline->issue(on(Opcode::kMatmul, first), load.next, ledger);
  CHECK(beside.start == load.next);
  const auto behind = pipeline->issue(on(Opcode::kMatmul, second), beside.next, ledger);
  CHECK(behind.start == clock.edge(Cycles{10'000 + 74}));
}

TEST_CASE("tensor pipeline: tiles scale with the array", "[timing]") {
  for (const unsigned size : {32U, 64U, 128U}) {
    CAPTURE(size);
    const auto p = params(size);
    const unsigned quarter = size / 4;
    std::vector<Block> tiles;
    for (unsigned n = 0; n < 4; ++n) tiles.push_back({n * quarter, quarter, 0, size});
    CHECK(run_stream(tiles, tiles, p).last_complete ==
          run_stream(tiles, {tiles[0]}, p).last_complete + 3 * p.tile_pitch.count);
    // Beyond the array, partitions wrap around to its first row.
    if (size == 128) continue;
    const Block again{size, quarter, 0, size};
    CHECK(run_stream({tiles[0]}, {tiles[0], again}, p).starts[1] == kMoving + p.issue_overhead.count);
  }
}

TEST_CASE("tensor pipeline: the throttle sees the union of tiles, not their sum", "[timing]") {
  auto p = params();
  p.throttle = true;
  p.throttle_phase = {0};
  const base::Clock clock(p.clock);
  const auto rate_after = [&](unsigned rounds) {
    const auto pipeline = model::make_tensor_pipeline(p);
    model::Ledger ledger;
    for (const Block& b : row_tiles()) pipeline->issue(on(Opcode::kLoadWeights, b), base::Time{0}, ledger);
    base::Time at = clock.edge({8192});
    for (unsigned n = 0; n < rounds; ++n)
      for (const Block& b : row_tiles()) at = pipeline->issue(on(Opcode::kMatmul, b), at, ledger).next;
    const auto issue = pipeline->issue(on(Opcode::kMatmul, row_tiles()[0]), clock.edge({2 * 8192}), ledger);
    return clock.nearest(issue.complete - issue.start).count;
  };
  // In a throttled round of four tiles 512 columns and those of three pitches, 9, enter in a window's 8192
  // cycles: six rounds are 38 % of it, seven 45 %. The sum over tiles would have been four times that.
  CHECK(rate_after(6) > rate_after(7));
}
