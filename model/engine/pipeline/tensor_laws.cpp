// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "isa/table/table.h"
#include "isa/table/table_fields.h"
#include "model/engine/pipeline/timing_laws.h"

namespace tahoma::model {

using base::Clock, base::Cycles;

namespace {
bool is_32_bit(isa::DType dtype) { return isa::size_of(dtype) == isa::size_of(isa::DType::kFp32); }
}  // namespace

unsigned passes_of(const isa::Instruction& i, isa::DType weights) {
  if (i.op == isa::Opcode::kTranspose) return is_32_bit(i.src0.dtype) ? 2 : 1;
  const bool weights_in_halves =
      weights == isa::DType::kFp32 && i.mode != isa::MatmulMode::kOneZeroStationary;
  const bool moving_in_halves =
      i.src0.dtype == isa::DType::kFp32 && i.mode != isa::MatmulMode::kOneZeroMoving;
  return (weights_in_halves ? 2U : 1U) * (moving_in_halves ? 2U : 1U);
}

Cycles streaming_cycles(std::uint64_t moving_columns, unsigned passes) {
  return {static_cast<std::int64_t>(moving_columns * passes)};
}

Cycles fill_cycles(std::uint64_t rows, std::uint64_t columns) {
  return {static_cast<std::int64_t>(rows + columns - 1)};
}

Cycles array_cycles(std::uint64_t rows, std::uint64_t columns, Cycles streaming) {
  return streaming + fill_cycles(rows, columns);
}

// Elements follow each other within a run. Each outer dimension repeats the runs so far, and an odd stride
// inverts the parity of every other repetition.
std::uint64_t misaligned_runs(const isa::Instruction& i) {
  if (isa::size_of(i.src0.dtype) != 2) return 0;
  isa::Shape shape = i.shape;
  if (isa::row_of(isa::mode_of(i)).slices > 1)
    shape.count[isa::kSliceDim] = 1;  // slices are read side by side
  std::uint64_t even = 1, odd = 0;
  std::int64_t run = 1;
  for (std::size_t d = isa::kFreeDims; d-- > 0;) {
    const std::uint64_t count = shape.count[d];
    if (count == 1) continue;
    const std::int64_t stride = i.src0.stride[d];
    if (run == 1 && stride != 1) return 0;
    if (even + odd == 1 && stride == run) {
      run *= static_cast<std::int64_t>(count);
      continue;
    }
    const std::uint64_t turned = stride % 2 == 0 ? 0 : count / 2, kept = count - turned;
    const std::uint64_t still_even = even * kept + odd * turned;
    odd = even * turned + odd * kept;
    even = still_even;
  }
  return i.src0.offset % (2 * isa::size_of(i.src0.dtype)) == 0 ? odd : even;
}

double weight_cycles_per_column(isa::DType dtype, bool in_order, const TensorParams& p) {
  if (!is_32_bit(dtype)) return in_order ? p.load_column : p.load_column_strided;
  if (!in_order) return p.wide_load_column_strided;
  return dtype == isa::DType::kFp32 ? p.fp32_load_column : p.wide_load_column;
}

std::uint64_t matmul_flops(const isa::Instruction& i) {
  if (!isa::multiplies(i)) return 0;
  const std::uint64_t weights =
      std::uint64_t{isa::weights_per_cell(isa::mode_of(i))} * i.shape.partitions * i.columns;
  return 2 * weights * isa::moving_columns(i);
}

std::uint64_t matmul_cell_cycles(const isa::Instruction& i, isa::DType weights) {
  const std::uint64_t per_cell_cycle = 2 * std::uint64_t{isa::weights_per_cell(isa::mode_of(i))};
  return matmul_flops(i) / per_cell_cycle * passes_of(i, weights);
}

TensorTiming::TensorTiming(const TensorParams& p)
    : TensorParams(p),
      // The constant of the core, measured on one size of the array, and the skew of this size. A result is
      // never there before its last row has been streamed.
      result(std::max(Cycles{0}, fill_cycles(p.rows, p.columns) + Clock(p.clock).nearest(p.pipeline_latency) -
                                     fill_cycles(p.latency_side, p.latency_side))),
      weights(Clock(p.clock).nearest(p.weight_load_latency)),
      decode(Clock(p.clock).nearest(p.weight_to_matmul)),
      window(Clock(p.clock).nearest(p.throttle_window)),
      phase(Clock(p.clock).nearest(p.throttle_phase)),
      throttle_lead(Clock(p.clock).nearest(p.throttle_latency)) {}

MatmulCost matmul_cost(const isa::Instruction& i, const LoadedWeights& weights, const TensorTiming& p) {
  const unsigned passes = passes_of(i, weights.dtype);
  MatmulCost cost;
  cost.streaming = streaming_cycles(isa::moving_columns(i), passes);
  cost.reading =
      cost.streaming + Cycles{p.misaligned_run.count * static_cast<std::int64_t>(misaligned_runs(i))};
  if (passes > 2) {  // both operands are split into halves
    const Cycles part{cost.streaming.count / 2};
    const Cycles second_weights = p.back_to_back + weights.load + p.weight_exchange;
    cost.reading = std::max(part + p.issue_overhead, second_weights) + part;
  }
  cost.interval = cost.reading + p.issue_overhead;
  cost.latency = p.result;
  return cost;
}

WeightCost weight_cost(const isa::Instruction& i, const TensorTiming& p) {
  isa::Shape slice = i.shape;
  const bool mx = isa::mode_of(i) == isa::MatmulMode::kMx;
  if (isa::weights_per_cell(isa::mode_of(i)) > 1) slice.count[isa::kSliceDim] = 1;
  const auto columns = static_cast<double>(isa::stationary_columns(i));
  const auto cycles = [&](bool in_order) {
    return Cycles{static_cast<std::int64_t>(
        std::ceil(columns * (mx ? p.mx_load_column : weight_cycles_per_column(i.src0.dtype, in_order, p))))};
  };
  return {cycles(contiguous(i.src0, slice)), cycles(true),
          is_32_bit(i.src0.dtype) ? p.wide_load_issue : p.load_issue, p.weights};
}

}  // namespace tahoma::model
