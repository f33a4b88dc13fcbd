// SPDX-License-Identifier: Apache-2.0
// The systolic array with its weight loader. Three activities overlap, each in the order of the program: the
// loader shifts columns into shadow registers, moving rows are read from SBUF into a queue before the array,
// and the array takes them from the queue, at half rate while throttled. A matmul's first row can enter when
// the last row of the previous matmul on its tile has entered and the weights have been loaded; from then on
// the shadow registers are free again. Matmuls on tiles that do not overlap run side by side, one pitch apart
// (isa/semantics/arithmetic/array_tiles.h: the tile of an operand). With background_transpose (NeuronCore-v4)
// a tile has a second stream, which a transpose takes while the first one is occupied.
//
// Not modelled: conflicts of the moving data of two tiles in the same rows, or of the results of two tiles in
// the same columns. The documentation says only that matmuls on different tiles run in parallel.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "isa/semantics/arithmetic/array_tiles.h"
#include "model/engine/pipeline/pipeline.h"
#include "model/engine/pipeline/throttle.h"
#include "model/engine/pipeline/timing_laws.h"

namespace tahoma::model {
namespace {

using base::StallReason, base::Cycles, base::Time;

// The smallest tiles of the array (isa::tile_size). The state of a larger tile is kept in all of its smallest
// tiles.
struct Stream {
  Cycles next_start{0};  // of a matmul, given the reading of the previous one and the room in the queue
  Cycles array_free{0};  // the last row of the previous matmul has entered
};
struct Cell {
  isa::ArrayBlock place;
  std::array<Stream, 2> streams{};  // the second one is that of transposes in the background
  Cycles shadow_free{0};            // the previous weights have left the shadow registers
  Cycles load_issued{0};            // earliest start of a matmul after the load of its weights
  Cycles weights_ready{0};          // earliest entry of a row that uses the latest weights
  LoadedWeights weights{};
  bool in_shadow = false;  // no row has used the latest weights
};

std::vector<Cell> cells_of(const isa::ArraySize& array) {
  const unsigned rows = isa::tile_size(0, array.rows), columns = isa::tile_size(0, array.columns);
  std::vector<Cell> cells;
  for (unsigned r = 0; r < array.rows; r += rows)
    for (unsigned c = 0; c < array.columns; c += columns)
      cells.push_back({{r, c, std::min(rows, array.rows - r), std::min(columns, array.columns - c)}});
  return cells;
}

class TensorPipeline final : public Pipeline {
 public:
  TensorPipeline(const TensorParams& p, TensorArray* gates)
      : params_(p),
        gates_(gates),
        clock_(p.clock),
        throttle_(p.throttle, params_.window, params_.phase, p.throttle_share, static_cast<unsigned>(p.rows),
                  static_cast<unsigned>(p.latency_side)),
        array_{static_cast<unsigned>(p.rows), static_cast<unsigned>(p.columns)},
        cells_(cells_of(array_)) {}

  void decoded(Time at) override { decoded_ = clock_.at_or_after(at); }

  Issue issue(const isa::Instruction& i, Time dispatch, Ledger& ledger) override {
    const Cycles at = std::max(clock_.at_or_after(dispatch), front_);
    return isa::loads_weights(i) ? load_weights(i, at, ledger) : matmul(i, at, ledger);
  }
  // The array waits: rows of this tile enter later by that time.
  Issue hold(const Issue& issue, base::Duration by, StallReason reason, Ledger& ledger) override {
    const Cycles more = clock_.at_or_after({by.fs});
    Cycles next_start{0};
    for_each_cell(last_tile_, [&](Cell& cell) {
      Stream& stream = cell.streams[last_stream_];
      stream.next_start = stream.next_start + more;
      stream.array_free = stream.array_free + more;
      next_start = std::max(next_start, stream.next_start);
    });
    const auto later = [&](Time t) { return clock_.edge(clock_.at_or_after(t) + more); };
    ledger.account(clock_.edge(next_start), reason);
    ledger.active(issue.start, later(issue.complete));
    return {issue.start, issue.next, later(issue.complete), later(issue.read), issue.enter};
  }

 private:
  template <class F>
  void for_each_cell(const isa::ArrayBlock& tile, F&& f) {
    for (Cell& cell : cells_)
      if (isa::overlap(cell.place, tile)) f(cell);
  }

  Issue load_weights(const isa::Instruction& i, Cycles at, Ledger& ledger) {
    const WeightCost cost = weight_cost(i, params_);
    const isa::ArrayBlock tile = isa::tile_of(isa::standing_of(i, array_).block, array_);
    const Cycles start = std::max(at, loader_free_);
    Cycles shadow_free = start;
    for_each_cell(tile, [&](const Cell& cell) { shadow_free = std::max(shadow_free, cell.shadow_free); });
    const Cycles shift{cost.shift.count * (throttle_.throttled(shadow_free) ? 2 : 1)};
    const Cycles loaded = std::max(start + cost.read, shadow_free + shift);
    for_each_cell(tile, [&](Cell& cell) {
      cell.weights = {i.src0.dtype, cost.read};
      cell.weights_ready = loaded + params_.weight_exchange;
      cell.load_issued = std::max(start + cost.issue, decoded_ + params_.decode);
      cell.in_shadow = true;
    });
    loader_free_ = start + cost.read + params_.back_to_back;
    front_ = start + params_.back_to_back;
    const Time begin = clock_.edge(start), complete = clock_.edge(loaded + cost.latency);
    ledger.account(begin, StallReason::kWeightLoad);
    ledger.active(begin, complete);
    return {begin, clock_.edge(front_), complete, clock_.edge(start + cost.read), begin};
  }

  Issue matmul(const isa::Instruction& i, Cycles at, Ledger& ledger) {
    const isa::ArrayBlock block = isa::used_block(i, array_), tile = isa::tile_of(block, array_);
    Cycles start = at;
    const std::size_t stream = stream_of(i, tile);
    if (!isa::overlap(tile, last_tile_) || stream != last_stream_)
      start = std::max(start, last_start_ + params_.tile_pitch);
    Cycles array_free{0}, weights_ready{0};
    LoadedWeights weights;
    for_each_cell(tile, [&](const Cell& cell) {
      start = std::max({start, cell.streams[stream].next_start, cell.load_issued});
      array_free = std::max(array_free, cell.streams[stream].array_free);
      weights_ready = std::max(weights_ready, cell.weights_ready);
      weights = cell.weights;
    });
    MatmulCost cost = matmul_cost(i, weights, params_);
    const Cycles enter = std::max({start, array_free, weights_ready});
    const Cycles by_law = model::array_cycles(params_.rows, params_.columns, cost.streaming);
    const Cycles in_array = gates_ != nullptr ? gates_->took(cost.streaming, clock_.edge(enter)) : by_law;
    cost.latency = cost.latency + in_array - by_law;
    const Cycles streamed = throttle_.stream(enter, cost.streaming, {block.row, block.rows});
    const Cycles through = std::max(streamed, start + cost.reading);
    const Cycles next_start = std::max(start + cost.interval, room_behind(through));
    for_each_cell(tile, [&](Cell& cell) {
      cell.streams[stream] = {next_start, through};
      if (std::exchange(cell.in_shadow, false)) cell.shadow_free = enter;
    });
    last_tile_ = tile;
    last_stream_ = stream;
    last_start_ = start;
    front_ = start + params_.back_to_back;
    counted_.hardware_flops += matmul_flops(i);
    counted_.cell_cycles += matmul_cell_cycles(i, weights.dtype);
    counted_.array_cycles += static_cast<std::uint64_t>(in_array.count);
    if (isa::multiplies(i)) {
      const auto streaming = static_cast<std::uint64_t>(cost.streaming.count);
      counted_.streaming_cycles += streaming;
      counted_.row_cycles += streaming * block.rows;
      counted_.column_cycles += streaming * block.columns;
    }
    const Time begin = clock_.edge(start), complete = clock_.edge(through + cost.latency);
    ledger.account(clock_.edge(at), StallReason::kDispatch);
    ledger.account(begin, StallReason::kWeightLoad);
    ledger.account(clock_.edge(std::min(array_free, enter)), StallReason::kThrottle);
    ledger.account(clock_.edge(enter), StallReason::kWeightLoad);
    ledger.account(clock_.edge(std::min(enter + cost.interval, next_start)), StallReason::kBusy);
    ledger.account(clock_.edge(next_start), StallReason::kThrottle);
    ledger.active(begin, complete);
    return {begin, clock_.edge(front_), complete, clock_.edge(through), clock_.edge(enter)};
  }

  // A transpose takes the stream that is free first.
  std::size_t stream_of(const isa::Instruction& i, const isa::ArrayBlock& tile) {
    if (!params_.background_transpose || i.op != isa::Opcode::kTranspose) return 0;
    std::array<Cycles, 2> free{};
    for_each_cell(tile, [&](const Cell& cell) {
      for (std::size_t s = 0; s < free.size(); ++s) free[s] = std::max(free[s], cell.streams[s].array_free);
    });
    return free[1] < free[0] ? 1 : 0;
  }

  // The time at which the queue before the array has room for the next matmul's rows. At full rate the array
  // keeps up with the reader and the queue is empty. At half rate it is full, and its rows hide the overhead
  // of a start.
  Cycles room_behind(Cycles through) {
    if (throttle_.throttled(through)) return through - params_.throttle_lead;
    return through + params_.issue_overhead;
  }

  const TensorTiming params_;
  TensorArray* gates_;  // null: the law
  base::Clock clock_;
  Throttle throttle_;
  isa::ArraySize array_;
  std::vector<Cell> cells_;
  isa::ArrayBlock last_tile_;
  std::size_t last_stream_ = 0;
  Cycles front_{0};  // instructions start in order, this far apart
  Cycles decoded_{0}, last_start_{0}, loader_free_{0};
};

}  // namespace

std::unique_ptr<Pipeline> make_tensor_pipeline(const TensorParams& params, TensorArray* array) {
  return std::make_unique<TensorPipeline>(params, array);
}

}  // namespace tahoma::model
