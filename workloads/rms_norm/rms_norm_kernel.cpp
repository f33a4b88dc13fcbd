// SPDX-License-Identifier: Apache-2.0
#include "workloads/rms_norm/rms_norm_kernel.h"

#include <algorithm>

#include "runtime/kernel.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

isa::Program rms_norm_program(const model::MachineParams& machine, const RmsNormShape& shape) {
  const auto columns = static_cast<unsigned>(shape.columns);
  const std::uint64_t height = machine.chip.core.sbuf.partitions;
  Kernel k("rms_norm", machine);
  const HbmView x = k.argument("x", shape.dtype, shape.rows, shape.columns);
  const HbmView g = k.argument("g", DType::kFp32, 1, shape.columns);
  const HbmView y = k.argument("y", shape.dtype, shape.rows, shape.columns);
  const Pool gains = k.sbuf("g", DType::kFp32, columns), xs = k.sbuf("x", shape.dtype, columns, 3),
             squares = k.sbuf("squares", DType::kFp32, columns), sums = k.sbuf("sum", DType::kFp32, 1, 3),
             roots = k.sbuf("1 / rms", DType::kFp32, 1, 3), ys = k.sbuf("y", shape.dtype, columns, 3);

  // Every partition gets a copy of g: a window whose rows are all the same row.
  const TileView gain = k.take(gains, static_cast<unsigned>(height), columns);
  HbmView repeated = g;
  repeated.rows = height;
  repeated.row_stride = 0;
  k.load(gain, repeated);

  for (std::uint64_t row = 0; row < shape.rows; row += height) {
    const std::uint64_t here = std::min(height, shape.rows - row);
    const auto partitions = static_cast<unsigned>(here);
    const TileView in = k.take(xs, partitions, columns), square = k.take(squares, partitions, columns),
                   sum = k.take(sums, partitions, 1), root = k.take(roots, partitions, 1),
                   out = k.take(ys, partitions, columns);
    k.load(in, x.window(row, 0, here, shape.columns));
    k.activation_reduce(square, sum, in, ActFn::kSquare);
    k.activation(root, sum, ActFn::kRsqrt, {1.0F / static_cast<float>(columns), nullptr},
                 {shape.epsilon, nullptr});
    k.scalar_tensor_tensor(out, in, AluOp::kMult, {0, &root}, AluOp::kMult, gain.partitions(0, partitions));
    // Not on the loads' queue: a store that waits for its tile would hold the next load back.
    k.store(y.window(row, 0, here, shape.columns), out, isa::Queue::kGpSimd);
  }
  return k.finish();
}

}  // namespace tahoma::workloads
