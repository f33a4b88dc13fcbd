// SPDX-License-Identifier: Apache-2.0
// Steps that reduce or normalise rows of matrices, by the tuned kernels of workloads/reduction and
// workloads/norm.
#pragma once

#include "frontend/graph/lower/graph_lowering.h"
#include "workloads/reduction/reduction_kernel.h"

namespace tahoma::workloads::graph {

// out [rows] from in [rows, columns].
void add_reduction(Lowering& lowering, const TensorRef& out, const TensorRef& in, std::uint64_t rows,
                   std::uint64_t columns, ReductionOp op, Over over = Over::kColumns);
void add_softmax(Lowering& lowering, const TensorRef& out, const TensorRef& in, std::uint64_t rows,
                 std::uint64_t columns);
// gain and bias: fp32 [1, columns]; mean and the inverse of the deviation, if they are wanted: fp32 [rows].
struct NormStatistics {
  std::optional<TensorRef> mean, inverse;
};
void add_layer_norm(Lowering& lowering, const TensorRef& out, const TensorRef& in, const TensorRef& gain,
                    const TensorRef& bias, std::uint64_t rows, std::uint64_t columns, double epsilon,
                    const NormStatistics& statistics = {});

void add_rms_norm(Lowering& lowering, const TensorRef& out, const TensorRef& in, const TensorRef& gain,
                  std::uint64_t rows, std::uint64_t columns, double epsilon);

}  // namespace tahoma::workloads::graph
