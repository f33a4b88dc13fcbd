// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/array/tensor_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/base/error.h"
#include "model/rtl/array/built_arrays.h"

namespace tahoma::rtl {

using base::Cycles, base::Time;

TensorGates::TensorGates(std::string place, const model::TensorParams& params)
    : place_(std::move(place)),
      params_(params),
      size_{static_cast<unsigned>(params.rows), static_cast<unsigned>(params.columns)} {
  require_built(size_, place_);
}

void TensorGates::wake(Time at) {
  if (!lock_step_) {
    gates_ = make_gates(size_, place_);
    lock_step_.emplace(*gates_, place_);
    if (params_.waves.wanted()) open_waves(*gates_, params_.waves.folder, place_);
  }
  gates_->show_waves(params_.waves.shows(at));
}

// The instruction's semantics in isa are the reference for the sums of the RTL array, here behind PSUM's
// adder; the rows themselves were compared one by one.
void TensorGates::execute(const isa::Instruction& i, const isa::CoreView& core, Time at) {
  wake(at);
  const bool is_matmul = i.op == isa::Opcode::kMatmul;
  const isa::ArrayBlock block = isa::used_block(i, size_);
  const std::vector<ArrayPass> passes = is_matmul ? passes_of_matmul(i, core) : passes_of_transpose(i, core);
  const Elements before = destination(i, core);
  isa::execute(i, core);
  streamed_ = 0;
  std::vector<Elements> sums;
  for (const ArrayPass& pass : passes) sums.push_back(stream(pass, block));
  executed_ = true;
  const Elements by_gates = is_matmul ? accumulated(i, before, sums) : turned(i, core, sums);
  const Elements by_law = destination(i, core);
  for (std::size_t e = 0; e < by_law.bits.size(); ++e)
    if (by_law.bits[e] != by_gates.bits[e])
      throw base::UserError(
          "E-RTL-005", place_,
          fmt::format(
              "row {}, column {} of the result: {:08x} by the instruction's semantics, {:08x} from the "
              "sums of the RTL in {} passes",
              e % by_law.columns, e / by_law.columns, by_law.bits[e], by_gates.bits[e], sums.size()),
          base::ExitStatus::kCheckFailed);
}

Cycles TensorGates::took(Cycles streaming, Time at) {
  if (!std::exchange(executed_, false)) {
    wake(at);
    streamed_ = 0;
    const auto rows = static_cast<std::size_t>(streaming.count);
    stream({{}, {0, rows, {}}}, {0, 0, 0, 0});
  }
  TAHOMA_INVARIANT(streamed_ == streaming.count,
                   fmt::format("{}: {} moving rows went through the RTL, {} through the law", place_,
                               streamed_, streaming.count));
  return {streamed_ + fill_};
}

void TensorGates::load(const ArrayPass& pass, const isa::ArrayBlock& block) {
  WeightColumns w;
  w.format = pass.weight_format;
  w.is_double = pass.is_double;
  w.bank = bank_;
  w.rows.assign(size_.rows, 0);
  w.weights.resize(size_.rows);
  std::fill_n(w.rows.begin() + block.row, block.rows, 1);
  for (unsigned c = 0; c < block.columns; c += WeightColumns::kLanes) {
    w.column = block.column + c;
    w.count = std::min(WeightColumns::kLanes, block.columns - c);
    for (unsigned r = 0; r < block.rows; ++r)
      for (unsigned lane = 0; lane < w.count; ++lane)
        w.weights[block.row + r][lane] = pass.weights.at(r, c + lane);
    while (!lock_step_->step({nullptr, &w, true}).weight_ready) {
    }
  }
}

// All rows of a pass, one per cycle; the RTL array is empty before and after. Sums are indexed [column][row].
Elements TensorGates::stream(const ArrayPass& pass, const isa::ArrayBlock& block) {
  bank_ = !bank_;
  load(pass, block);
  const std::size_t rows = pass.moving.columns;
  Elements sums{block.columns, rows, std::vector<std::uint32_t>(block.columns * rows)};
  MovingRow row;
  row.format = pass.moving_format;
  row.is_double = pass.is_double;
  row.turn = pass.turn;
  row.bank = bank_;
  row.column = block.column;
  row.columns = block.columns;
  row.use.assign(size_.rows, 0);
  row.elements.assign(size_.rows, 0);
  std::fill_n(row.use.begin() + block.row, block.rows, 1);
  std::uint64_t last_in = 0;
  for (std::size_t in = 0, out = 0; out < rows;) {
    for (unsigned r = 0; r < block.rows && in < rows; ++r)
      row.elements[block.row + r] = pass.moving.at(r, in);
    const std::uint64_t now = lock_step_->cycle();
    const ArrayOutputs& outputs = lock_step_->step({in < rows ? &row : nullptr, nullptr, true});
    if (in < rows && outputs.moving_ready) {
      ++in;
      last_in = now;
    }
    if (!outputs.result_valid) continue;
    for (unsigned c = 0; c < block.columns; ++c) sums.at(c, out) = outputs.result[block.column + c];
    ++out;
    fill_ = static_cast<std::int64_t>(now - last_in);
  }
  streamed_ += static_cast<std::int64_t>(rows);
  return sums;
}

}  // namespace tahoma::rtl
