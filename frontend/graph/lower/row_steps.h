// SPDX-License-Identifier: Apache-2.0
// Steps that reduce or normalise rows of matrices, by the tuned kernels of workloads/reduction and
// workloads/norm.
#pragma once

#include "frontend/graph/lower/graph_lowering.h"
#include "workloads/reduction/reduction_kernel.h"

namespace tahoma::workloads::graph {

// in: [rows, columns]; out: the same, or what a reduction leaves of it.
struct RowOperands {
  TensorRef out, in;
  std::uint64_t rows = 0, columns = 0;
};
// out [rows], or [columns] over the rows.
void add_reduction(Lowering& lowering, const RowOperands& operands, ReductionOp op,
                   Over over = Over::kColumns);
void add_softmax(Lowering& lowering, const RowOperands& operands);

// gain and bias: fp32 [1, columns]; mean and the inverse of the deviation, if they are wanted: fp32 [rows].
struct NormOperands {
  TensorRef gain, bias;
  double epsilon = 0;
  std::optional<TensorRef> mean{}, inverse{};
};
void add_layer_norm(Lowering& lowering, const RowOperands& operands, const NormOperands& norm);
void add_rms_norm(Lowering& lowering, const RowOperands& operands, const TensorRef& gain, double epsilon);

}  // namespace tahoma::workloads::graph
