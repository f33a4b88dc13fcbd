// SPDX-License-Identifier: Apache-2.0
// The tensor engine's laws.
#include <cmath>

#include "isa/table_fields.h"
#include "model/engine/timing_laws.h"

namespace tahoma::model {

using base::Clock, base::Cycles;

unsigned passes_of(const isa::Instruction& i, isa::DType weights) {
  if (i.op == isa::Opcode::kTranspose) return isa::size_of(i.src0.dtype) == 4 ? 2 : 1;
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

double weight_cycles_per_column(isa::DType dtype, bool in_order) {
  if (isa::size_of(dtype) < 4) return in_order ? 0.25 : 1.0;
  if (!in_order) return 4.3;
  return dtype == isa::DType::kFp32 ? 2.0 : 1.0;
}

namespace {

std::uint64_t weights_per_cell(const isa::Instruction& i) {
  return i.mode == isa::MatmulMode::kDoubleRow ? 2 : 1;
}

}  // namespace

std::uint64_t matmul_flops(const isa::Instruction& i) {
  if (i.op != isa::Opcode::kMatmul) return 0;
  return 2 * weights_per_cell(i) * i.shape.partitions * i.columns * isa::moving_columns(i);
}

std::uint64_t matmul_cell_cycles(const isa::Instruction& i, isa::DType weights) {
  return matmul_flops(i) / (2 * weights_per_cell(i)) * passes_of(i, weights);
}

MatmulCost matmul_cost(const isa::Instruction& i, isa::DType weights, const TensorParams& p) {
  const unsigned passes = passes_of(i, weights);
  const Cycles streaming = streaming_cycles(isa::moving_columns(i), passes);
  const std::int64_t parts = passes == 4 ? 2 : 1;
  const Clock clock(p.clock);
  const Cycles core = clock.nearest(p.pipeline_latency) - fill_cycles(128, 128);
  return {streaming + Cycles{p.issue_overhead.count * parts}, fill_cycles(p.rows, p.columns) + core,
          streaming};
}

WeightCost weight_cost(const isa::Instruction& i, const TensorParams& p) {
  isa::Shape slice = i.shape;
  if (i.mode == isa::MatmulMode::kDoubleRow) slice.count[isa::kSliceDim] = 1;
  const double per_column = weight_cycles_per_column(i.src0.dtype, contiguous(i.src0, slice));
  const auto columns = static_cast<double>(isa::stationary_columns(i));
  const Cycles load{static_cast<std::int64_t>(std::ceil(columns * per_column))};
  const Clock clock(p.clock);
  return {load, load + clock.nearest(p.weight_to_matmul), load + clock.nearest(p.weight_load_latency)};
}

}  // namespace tahoma::model
