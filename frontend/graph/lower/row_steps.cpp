// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/lower/row_steps.h"

#include <fmt/format.h>

#include "workloads/norm/layer_norm_kernel.h"
#include "workloads/norm/softmax_kernel.h"
#include "workloads/rms_norm/rms_norm_kernel.h"

namespace tahoma::workloads::graph {

namespace {

Step row_step(const Lowering& lowering, const char* kernel, StepEngine engine, const TensorRef& out,
              const TensorRef& in, std::uint64_t rows, std::uint64_t columns, double operations) {
  Step step;
  step.kernel = kernel;
  step.engine = engine;
  step.dtype = lowering.dtype(in);
  step.bytes = lowering.bytes(out) + lowering.bytes(in);
  step.flops = operations * static_cast<double>(rows * columns);
  step.tiles = fmt::format("{} rows of {}", rows, columns);
  return step;
}

}  // namespace

void add_reduction(Lowering& lowering, const TensorRef& out, const TensorRef& in, std::uint64_t rows,
                   std::uint64_t columns, ReductionOp op, Over over) {
  const bool by_row = over == Over::kColumns;
  const ReductionShape shape{rows, columns, lowering.dtype(in), op, over, lowering.dtype(out)};
  Step step = row_step(lowering, by_row ? "reduction of rows" : "reduction of columns",
                       by_row ? StepEngine::kVector : StepEngine::kTensor, out, in, rows, columns, 1);
  step.emit = [shape, by_row, in, out](Emission& e) {
    emit_reduction(e.kernel, e.machine, shape,
                   {e.matrix(in.slot, shape.rows, shape.columns),
                    e.matrix(out.slot, by_row ? shape.rows : 1, by_row ? 1 : shape.columns)});
  };
  lowering.add(std::move(step));
}

void add_softmax(Lowering& lowering, const TensorRef& out, const TensorRef& in, std::uint64_t rows,
                 std::uint64_t columns) {
  const RowsShape shape{rows, columns, lowering.dtype(in)};
  Step step = row_step(lowering, "softmax", StepEngine::kScalar, out, in, rows, columns, 4);
  step.emit = [shape, in, out](Emission& e) {
    emit_softmax(
        e.kernel, e.machine, shape,
        {e.matrix(in.slot, shape.rows, shape.columns), e.matrix(out.slot, shape.rows, shape.columns)});
  };
  lowering.add(std::move(step));
}

void add_layer_norm(Lowering& lowering, const TensorRef& out, const TensorRef& in, const TensorRef& gain,
                    const TensorRef& bias, std::uint64_t rows, std::uint64_t columns, double epsilon,
                    const NormStatistics& statistics) {
  const LayerNormShape shape{rows, columns, lowering.dtype(in), static_cast<float>(epsilon)};
  Step step = row_step(lowering, "layer_norm", StepEngine::kVector, out, in, rows, columns, 7);
  step.emit = [shape, in, out, gain, bias, statistics](Emission& e) {
    const auto column = [&](const std::optional<TensorRef>& of) {
      return of ? std::optional(e.matrix(of->slot, shape.rows, 1)) : std::nullopt;
    };
    emit_layer_norm(e.kernel, e.machine, shape,
                    {.x = e.matrix(in.slot, shape.rows, shape.columns),
                     .g = e.matrix(gain.slot, 1, shape.columns),
                     .y = e.matrix(out.slot, shape.rows, shape.columns),
                     .b = e.matrix(bias.slot, 1, shape.columns),
                     .mean = column(statistics.mean),
                     .rstd = column(statistics.inverse),
                     .add = {},
                     .sum = {}});
  };
  lowering.add(std::move(step));
}

void add_rms_norm(Lowering& lowering, const TensorRef& out, const TensorRef& in, const TensorRef& gain,
                  std::uint64_t rows, std::uint64_t columns, double epsilon) {
  const RmsNormShape shape{rows, columns, lowering.dtype(in), static_cast<float>(epsilon)};
  Step step = row_step(lowering, "rms_norm", StepEngine::kVector, out, in, rows, columns, 4);
  step.emit = [shape, in, out, gain](Emission& e) {
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
