// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/kernel/gemm_evacuation.h"

#include <algorithm>

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::ScalarOperand, runtime::TileView;

namespace {

ScalarOperand column_of(const std::optional<TileView>& bias) { return {0, bias ? &*bias : nullptr}; }

}  // namespace

Evacuation::Evacuation(Kernel& kernel, const GemmShape& shape, const Blocking& blocking,
                       const GemmViews& views)
    : kernel_(kernel),
      epilogue_(shape.epilogue),
      views_(views),
      height_(blocking.mt),
      width_(blocking.nt),
      c_pool_(kernel.sbuf("c", shape.out, std::min(blocking.panel, blocking.group_n * blocking.nt),
                          blocking.c_copies)) {
  const unsigned width = std::min(blocking.panel, blocking.group_n * blocking.nt);
  if (epilogue_.bias == BiasOf::kRows)
    row_biases_ = kernel.sbuf("bias", isa::DType::kFp32, 1, blocking.c_copies);
  if (epilogue_.bias == BiasOf::kColumns) {
    ones_ = kernel.take(kernel.sbuf("ones", isa::DType::kFp32, height_), 1, height_);
    kernel.memset(*ones_, 1.0F);
    bias_rows_ = kernel.sbuf("bias row", isa::DType::kFp32, blocking.panel, kPanelsOfBias);
    column_biases_ = kernel.sbuf("bias", isa::DType::kFp32, blocking.panel, kPanelsOfBias);
  }
  if (epilogue_.residual) residuals_ = kernel.sbuf("residual", shape.out, width, blocking.c_copies);
}

Evacuation::Operands Evacuation::Operands::columns(const Range& wanted, const Range& of_panel,
                                                   const Range& of_group) const {
  Operands part = *this;
  if (column_bias)
    part.column_bias =
        column_bias->columns(static_cast<unsigned>(wanted.first - of_panel.first), wanted.count);
  if (residual)
    part.residual = residual->columns(static_cast<unsigned>(wanted.first - of_group.first), wanted.count);
  return part;
}

void Evacuation::begin_panel(const Range& panel, runtime::Pool banks) {
  if (!column_biases_) return;
  const TileView row = kernel_.take(*bias_rows_, 1, panel.count);
  kernel_.load(row, views_.bias.window(0, panel.first, 1, panel.count));
  column_bias_ = kernel_.take(*column_biases_, height_, panel.count);
  for (const Range& piece : cut({0, panel.count}, width_)) {
    const auto first = static_cast<unsigned>(piece.first);
    const TileView spread = kernel_.take(banks, height_, piece.count);
    kernel_.matmul(spread, *ones_, row.columns(first, piece.count), false);
    kernel_.copy(column_bias_->columns(first, piece.count), spread);
  }
}

Evacuation::Operands Evacuation::load_operands(const Range& rows, const Range& columns) {
  Operands operands;
  if (row_biases_) {
    operands.row_bias = kernel_.take(*row_biases_, rows.count, 1);
    kernel_.load(*operands.row_bias, views_.bias.window(rows.first, 0, rows.count, 1));
  }
  if (column_bias_) operands.column_bias = column_bias_->partitions(0, rows.count);
  if (residuals_) {
    operands.residual = kernel_.take(*residuals_, rows.count, columns.count);
    kernel_.load(*operands.residual,
                 views_.residual.window(rows.first, columns.first, rows.count, columns.count));
  }
  return operands;
}

void Evacuation::finish(const std::vector<TileView>& sums, const std::vector<Range>& row_tiles,
                        const Range& panel, const Range& columns, const std::vector<Range>& column_tiles) {
  std::vector<Operands> operands;
  for (const Range& r : row_tiles) operands.push_back(load_operands(r, columns));
  for (std::size_t row = 0, sum = 0; row < row_tiles.size(); ++row) {
    const Range& r = row_tiles[row];
    const TileView out = kernel_.take(c_pool_, r.count, columns.count);
    for (const Range& c : column_tiles)
      finish_tile(sums[sum++], out.columns(static_cast<unsigned>(c.first - columns.first), c.count),
                  operands[row].columns(c, panel, columns));
    kernel_.store(views_.c.window(r.first, columns.first, r.count, columns.count), out, Queue::kGpSimd);
  }
}

void Evacuation::finish_tile(const TileView& sum, const TileView& out, const Operands& with) {
  const bool activated = epilogue_.activation != ActFn::kCopy;
  const bool either = !activated || (epilogue_.activation == ActFn::kRelu && !epilogue_.squared);
  if (!with.column_bias && !with.residual && either) return round_in_turn(sum, out, with);
  if (with.column_bias) {
    const bool last = !activated && !with.residual;
    kernel_.tensor_tensor(last ? out : sum, sum, *with.column_bias, AluOp::kAdd);
    if (last) return;
  }
  if (epilogue_.squared) {
    kernel_.tensor_scalar(sum, sum, AluOp::kMax, {0, nullptr});
    return kernel_.activation(out, sum, ActFn::kSquare);
  }
  if (activated)
    kernel_.activation(with.residual ? sum : out, sum, epilogue_.activation, {1.0F, nullptr},
                       column_of(with.row_bias));
  if (!with.residual) return;
  if (with.row_bias && !activated)
    kernel_.scalar_tensor_tensor(out, sum, AluOp::kAdd, column_of(with.row_bias), AluOp::kAdd,
                                 *with.residual);
  else
    kernel_.tensor_tensor(out, sum, *with.residual, AluOp::kAdd);
}

void Evacuation::round_in_turn(const TileView& sum, const TileView& out, const Operands& with) {
  const bool on_vector = evacuated_++ % 2 == 0, relu = epilogue_.activation == ActFn::kRelu;
  if (!relu && !with.row_bias)
    kernel_.copy(out, sum, on_vector ? Queue::kVector : Queue::kScalar);
  else if (!on_vector)
    kernel_.activation(out, sum, epilogue_.activation, {1.0F, nullptr}, column_of(with.row_bias));
  else if (!with.row_bias)
    kernel_.tensor_scalar(out, sum, AluOp::kMax, {0, nullptr});
  else
    kernel_.tensor_scalar(out, sum, AluOp::kAdd, column_of(with.row_bias),
                          relu ? AluOp::kMax : AluOp::kBypass, {0, nullptr});
}

}  // namespace tahoma::workloads
