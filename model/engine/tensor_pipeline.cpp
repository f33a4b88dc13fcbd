// SPDX-License-Identifier: Apache-2.0
// The systolic array with its weight loader: loads go into shadow registers while the array streams; a matmul
// starts when its tile of the array is free and its weights have arrived. Matmuls on tiles that do not
// overlap run side by side, one pitch apart (isa/array_tiles.h: which tile an operand takes).
//
// Left out: whether the moving data of two tiles in the same rows, or the results of two tiles in the same
// columns, get in each other's way: documented is only that matmuls on different tiles run in parallel.
#include <algorithm>
#include <vector>

#include "isa/array_tiles.h"
#include "model/engine/pipeline.h"
#include "model/engine/throttle.h"
#include "model/engine/timing_laws.h"

namespace tahoma::model {
namespace {

using base::Cycle, base::Cycles, base::Time;

// The smallest tiles of the array, a quarter of its rows by a quarter of its columns; what is said of a
// larger tile holds for all of them.
struct Cell {
  isa::ArrayBlock place;
  Cycles array_free{0}, weights_ready{0}, shadow_free{0};
  isa::DType weights = isa::DType::kBf16;
};

std::vector<Cell> cells_of(const isa::ArraySize& array) {
  const unsigned rows = std::max(1U, array.rows / 4), columns = std::max(1U, array.columns / 4);
  std::vector<Cell> cells;
  for (unsigned r = 0; r < array.rows; r += rows)
    for (unsigned c = 0; c < array.columns; c += columns)
      cells.push_back({{r, c, std::min(rows, array.rows - r), std::min(columns, array.columns - c)}});
  return cells;
}

class TensorPipeline final : public Pipeline {
 public:
  explicit TensorPipeline(const TensorParams& p)
      : params_(p),
        clock_(p.clock),
        throttle_(p.throttle, p.throttle_window, p.throttle_phase),
        array_{static_cast<unsigned>(p.rows), static_cast<unsigned>(p.columns)},
        cells_(cells_of(array_)) {}

  Issue issue(const isa::Instruction& i, Time dispatch, Ledger& ledger) override {
    const Cycles at = clock_.at_or_after(dispatch);
    return i.op == isa::Opcode::kLoadWeights ? load_weights(i, at, ledger) : matmul(i, at, ledger);
  }
  std::uint64_t hardware_flops() const override { return flops_; }
  std::uint64_t cell_cycles() const override { return cell_cycles_; }

 private:
  template <class F>
  void for_each_cell(const isa::ArrayBlock& tile, F&& f) {
    for (Cell& cell : cells_)
      if (isa::overlap(cell.place, tile)) f(cell);
  }

  // The shadow registers of a tile are free once the matmul that took its previous weights has started.
  Issue load_weights(const isa::Instruction& i, Cycles at, Ledger& ledger) {
    const WeightCost cost = weight_cost(i, params_);
    const isa::ArrayBlock tile = isa::tile_of(isa::standing_of(i, array_).block, array_);
    Cycles start = std::max(at, loader_free_);
    for_each_cell(tile, [&](const Cell& cell) { start = std::max(start, cell.shadow_free); });
    loader_free_ = start + cost.load;
    for_each_cell(tile, [&](Cell& cell) {
      cell.weights_ready = start + cost.to_matmul;
      cell.weights = i.src0.dtype;
    });
    const Time begin = clock_.edge(start), complete = clock_.edge(start + cost.complete);
    ledger.account(begin, Cycle::kWeightLoad);
    ledger.active(begin, complete);
    return {begin, clock_.edge(start + params_.back_to_back), complete, clock_.edge(loader_free_)};
  }

  Issue matmul(const isa::Instruction& i, Cycles at, Ledger& ledger) {
    const isa::ArrayBlock tile = isa::tile_of(isa::used_block(i, array_), array_);
    Cycles start = at;
    isa::DType weights = i.src0.dtype;
    for_each_cell(tile, [&](const Cell& cell) {
      start = std::max({start, cell.array_free, cell.weights_ready});
      weights = cell.weights;
    });
    if (!isa::overlap(tile, last_tile_)) start = std::max(start, last_start_ + params_.tile_pitch);
    ledger.account(clock_.edge(at), Cycle::kDispatch);
    const Time begin = clock_.edge(start);
    ledger.account(begin, Cycle::kWeightLoad);
    const MatmulCost cost = matmul_cost(i, weights, params_);
    const bool half_rate = half_rate_at(begin);
    Cycles complete = start + Cycles{cost.streaming.count * (half_rate ? 2 : 1)} + cost.latency;
    if (half_rate) complete = complete + clock_.nearest(params_.throttle_latency);
    const Cycles free = start + Cycles{cost.interval.count * (half_rate ? 2 : 1)};
    for_each_cell(tile, [&](Cell& cell) {
      cell.array_free = free;
      cell.shadow_free = start + params_.back_to_back;
    });
    last_tile_ = tile;
    last_start_ = start;
    busy_from_ = begin;
    busy_until_ = std::max(busy_until_, clock_.edge(free));
    ledger.account(clock_.edge(start + cost.interval), Cycle::kBusy);
    ledger.account(clock_.edge(free), Cycle::kThrottle);
    ledger.active(begin, clock_.edge(complete));
    flops_ += matmul_flops(i);
    cell_cycles_ += matmul_cell_cycles(i, weights);
    return {begin, clock_.edge(start + params_.back_to_back), clock_.edge(complete), clock_.edge(free)};
  }

  // The throttle hears of the array's work, the union of all tiles', up to now and not beyond: what it
  // decides must not depend on matmuls that are under way.
  bool half_rate_at(Time now) {
    throttle_.busy(busy_from_, std::min(busy_until_, now));
    return throttle_.throttled(now);
  }

  const TensorParams& params_;
  base::Clock clock_;
  Throttle throttle_;
  isa::ArraySize array_;
  std::vector<Cell> cells_;
  isa::ArrayBlock last_tile_;
  Cycles last_start_{0}, loader_free_{0};
  Time busy_from_{0}, busy_until_{0};
  std::uint64_t flops_ = 0, cell_cycles_ = 0;
};

}  // namespace

std::unique_ptr<Pipeline> make_tensor_pipeline(const TensorParams& params) {
  return std::make_unique<TensorPipeline>(params);
}

}  // namespace tahoma::model
