// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/fold.h"

#include <cmath>
#include <limits>

#include "isa/simd/alu.h"
#include "isa/simd/row_loop.h"

namespace tahoma::isa {
namespace {

template <AluOp op>
float combined(float sum, float x) {
  // These operations cannot turn a NaN back into a number, so NaNs are canonicalised once at the end.
  if constexpr (op == AluOp::kAdd) return sum + x;
  if constexpr (op == AluOp::kSubtract) return sum - x;
  if constexpr (op == AluOp::kMult) return sum * x;
  return alu(op, sum, x);
}

template <AluOp op>
void fold_serially(const FoldRows& rows, std::size_t from, std::size_t n, std::array<float, kFolds>& value) {
  std::array<float, kFolds> sum = value;
  for (std::size_t i = from; i < n; ++i) {
    for (std::size_t k = 0; k < kFolds; ++k) sum[k] = combined<op>(sum[k], rows[k][i]);
  }
  for (std::size_t k = 0; k < kFolds; ++k) value[k] = one_nan(sum[k]);
}

}  // namespace

void fold_rows(AluOp op, const FoldRows& rows, std::size_t n, Folds& folds) {
  std::size_t from = 0;
  if (!folds.started) {
    for (std::size_t k = 0; k < kFolds; ++k) folds.value[k] = rows[k][0];
    folds.started = true;
    from = 1;
  }
  switch (op) {
    case AluOp::kAdd:
      return fold_serially<AluOp::kAdd>(rows, from, n, folds.value);
    case AluOp::kSubtract:
      return fold_serially<AluOp::kSubtract>(rows, from, n, folds.value);
    case AluOp::kMult:
      return fold_serially<AluOp::kMult>(rows, from, n, folds.value);
    case AluOp::kLogicalAnd:
      return fold_serially<AluOp::kLogicalAnd>(rows, from, n, folds.value);
    case AluOp::kLogicalOr:
      return fold_serially<AluOp::kLogicalOr>(rows, from, n, folds.value);
    case AluOp::kLogicalXor:
      return fold_serially<AluOp::kLogicalXor>(rows, from, n, folds.value);
    case AluOp::kMax:
    case AluOp::kMin:
      for (std::size_t k = 0; k < kFolds; ++k) {
        folds.value[k] = extremum_of_row(op, folds.value[k], rows[k] + from, n - from);
      }
      return;
    case AluOp::kAbsMax:
    case AluOp::kAbsMin:
      for (std::size_t k = 0; k < kFolds; ++k) {
        float& value = folds.value[k];
        value = std::fabs(value);
        for (std::size_t i = from; i < n; ++i) value = alu(op, value, rows[k][i]);
      }
      return;
    default:
      return;
  }
}

float neutral_element(AluOp op) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (op == AluOp::kMax) return -kInfinity;
  if (op == AluOp::kMin || op == AluOp::kAbsMin) return kInfinity;
  return op == AluOp::kMult ? 1.0F : 0.0F;
}

}  // namespace tahoma::isa
