// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/lower/row_steps.h"

#include <fmt/format.h>

#include "workloads/norm/layer_norm_kernel.h"
#include "workloads/norm/softmax_kernel.h"
#include "workloads/rms_norm/rms_norm_kernel.h"

namespace tahoma::workloads::graph {

namespace {

Step row_step(const Lowering& lowering, const char* kernel, StepEngine engine, const RowOperands& of,
              double operations) {
  Step step;
  step.kernel = kernel;
  step.engine = engine;
  step.dtype = lowering.dtype(of.in);
  step.bytes = lowering.bytes(of.out) + lowering.bytes(of.in);
  step.flops = operations * static_cast<double>(of.rows * of.columns);
  step.tiles = fmt::format("{} rows of {}", of.rows, of.columns);
  return step;
}

}  // namespace

void add_reduction(Lowering& lowering, const RowOperands& operands, ReductionOp op, Over over) {
  const bool by_row = over == Over::kColumns;
  const ReductionShape shape{
      operands.rows, operands.columns, lowering.dtype(operands.in), op, over, lowering.dtype(operands.out)};
  Step step = row_step(lowering, by_row ? "reduction of rows" : "reduction of columns",
                       by_row ? StepEngine::kVector : StepEngine::kTensor, operands, 1);
  step.emit = [shape, by_row, in = operands.in, out = operands.out](Emission& e) {
    emit_reduction(e.kernel, e.machine, shape,
                   {e.matrix(in.slot, shape.rows, shape.columns),
                    e.matrix(out.slot, by_row ? shape.rows : 1, by_row ? 1 : shape.columns)});
  };
  lowering.add(std::move(step));
}

void add_softmax(Lowering& lowering, const RowOperands& operands) {
  const RowsShape shape{operands.rows, operands.columns, lowering.dtype(operands.in)};
  Step step = row_step(lowering, "softmax", StepEngine::kScalar, operands, 4);
  step.emit = [shape, in = operands.in, out = operands.out](Emission& e) {
    emit_softmax(
        e.kernel, e.machine, shape,
        {e.matrix(in.slot, shape.rows, shape.columns), e.matrix(out.slot, shape.rows, shape.columns)});
  };
  lowering.add(std::move(step));
}

void add_layer_norm(Lowering& lowering, const RowOperands& operands, const NormOperands& norm) {
  const LayerNormShape shape{operands.rows, operands.columns, lowering.dtype(operands.in),
                             static_cast<float>(norm.epsilon)};
  Step step = row_step(lowering, "layer_norm", StepEngine::kVector, operands, 7);
  step.emit = [shape, in = operands.in, out = operands.out, norm](Emission& e) {
    const auto column = [&](const std::optional<TensorRef>& of) {
      return of ? std::optional(e.matrix(of->slot, shape.rows, 1)) : std::nullopt;
    };
    emit_layer_norm(e.kernel, e.machine, shape,
                    {.x = e.matrix(in.slot, shape.rows, shape.columns),
                     .g = e.matrix(norm.gain.slot, 1, shape.columns),
                     .y = e.matrix(out.slot, shape.rows, shape.columns),
                     .b = e.matrix(norm.bias.slot, 1, shape.columns),
                     .mean = column(norm.mean),
                     .rstd = column(norm.inverse),
                     .add = {},
                     .sum = {}});
  };
  lowering.add(std::move(step));
}

void add_rms_norm(Lowering& lowering, const RowOperands& operands, const TensorRef& gain, double epsilon) {
  const RmsNormShape shape{operands.rows, operands.columns, lowering.dtype(operands.in),
                           static_cast<float>(epsilon)};
  Step step = row_step(lowering, "rms_norm", StepEngine::kVector, operands, 4);
  step.emit = [shape, in = operands.in, out = operands.out, gain](Emission& e) {
    emit_rms_norm(e.kernel, e.machine, shape,
                  {.x = e.matrix(in.slot, shape.rows, shape.columns),
                   .g = e.matrix(gain.slot, 1, shape.columns),
                   .y = e.matrix(out.slot, shape.rows, shape.columns),
                   .add = {},
                   .sum = {}});
  };
  lowering.add(std::move(step));
}

}  // namespace tahoma::workloads::graph
