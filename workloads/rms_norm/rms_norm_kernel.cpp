// SPDX-License-Identifier: Apache-2.0
#include "workloads/rms_norm/rms_norm_kernel.h"

#include "workloads/norm/row_in_psum.h"
#include "workloads/norm/row_sum.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

isa::Program rms_norm_program(const model::MachineParams& machine, const RmsNormShape& shape) {
  constexpr unsigned kSquares = 4096;  // columns of a piece of which only the sum is kept
  const auto columns = static_cast<unsigned>(shape.columns);
  const unsigned copies = copies_in(machine, shape.columns * 2 * isa::size_of(shape.dtype), 6);
  Kernel k("rms_norm", machine);
  const HbmView x = k.argument("x", shape.dtype, shape.rows, shape.columns);
  const HbmView g = k.argument("g", DType::kFp32, 1, shape.columns);
  const HbmView y = k.argument("y", shape.dtype, shape.rows, shape.columns);
  const PieceSelector selector(k);
  RowInPsum gain(k, machine, selector, "g", g, psum_banks(machine));
  const Pool xs = k.sbuf("x", shape.dtype, columns, copies),
             squares = k.sbuf("squares", DType::kBf16, std::min(columns, kSquares)),
             sums = k.sbuf("sum", DType::kFp32, 1, 4), roots = k.sbuf("1 / rms", DType::kFp32, 1, 4),
             ys = k.sbuf("y", shape.dtype, columns, copies);

  for (const Range& rows : row_tiles(machine, shape.rows)) {
    const TileView in = k.take(xs, rows.count, columns), sum = k.take(sums, rows.count, 1),
                   root = k.take(roots, rows.count, 1), out = k.take(ys, rows.count, columns);
    k.load(in, x.window(rows.first, 0, rows.count, columns));
    RowSum square(k, sum);
    for (const Range& piece : cut(all_of(columns), kSquares))
      square.add(k.take(squares, rows.count, piece.count),
                 in.columns(static_cast<unsigned>(piece.first), piece.count), ActFn::kSquare,
                 piece.end() == columns);
    k.activation(root, sum, ActFn::kRsqrt, {1.0F / static_cast<float>(columns), nullptr},
                 {shape.epsilon, nullptr});
    for (const Range& piece : cut(all_of(columns), gain.width())) {
      const auto first = static_cast<unsigned>(piece.first);
      k.scalar_tensor_tensor(out.columns(first, piece.count), in.columns(first, piece.count), AluOp::kMult,
                             {0, &root}, AluOp::kMult, gain.columns(piece, rows.count));
    }
    // Not on the loads' queue: a store that waits for its tile would hold the next load back.
    k.store(y.window(rows.first, 0, rows.count, columns), out, isa::Queue::kGpSimd);
  }
  return k.finish();
}

}  // namespace tahoma::workloads
