// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/operators/tile_code.h"

#include <utility>

#include "model/base/error.h"

namespace tahoma::workloads::graph {

using isa::ActFn, isa::AluOp;

TileOperand TileCode::append(TileOperation operation) {
  operation.result = tiles_++;
  operations_.push_back(operation);
  return {operation.result, 0};
}

TileOperand TileCode::activation(ActFn fn, TileOperand x, double scale, double bias) {
  TileOperation operation;
  operation.a = tile_of(x);
  operation.fn = fn;
  operation.scale = scale;
  operation.bias = bias;
  return append(operation);
}

TileOperand TileCode::tile_of(TileOperand x) {
  if (x.tile) return x;
  TAHOMA_INVARIANT(inputs_ > 0, "code of an elementwise operator has no tile");
  // 0 * input would turn infinities into NaN: a comparison of the input with itself gives 0 or 1.
  TileOperation zero;
  zero.kind = TileOperation::Kind::kScalar;
  zero.a = input(0);
  zero.op = AluOp::kLogicalAnd;
  zero.b = TileOperand::of(0);
  return apply(AluOp::kAdd, append(zero), x);
}

TileOperand TileCode::apply(AluOp op, TileOperand a, TileOperand b) {
  const auto mirrored = [&]() -> std::optional<AluOp> {
    switch (op) {
      case AluOp::kAdd:
      case AluOp::kMult:
      case AluOp::kMax:
      case AluOp::kMin:
      case AluOp::kIsEqual:
      case AluOp::kIsNotEqual:
      case AluOp::kLogicalAnd:
      case AluOp::kLogicalOr:
      case AluOp::kLogicalXor:
        return op;
      case AluOp::kIsGt:
        return AluOp::kIsLt;
      case AluOp::kIsLt:
        return AluOp::kIsGt;
      case AluOp::kIsGe:
        return AluOp::kIsLe;
      case AluOp::kIsLe:
        return AluOp::kIsGe;
      default:
        return {};
    }
  }();
  if (!a.tile && b.tile) {
    if (mirrored) return apply(*mirrored, b, a);
    if (op == AluOp::kSubtract) return apply(AluOp::kAdd, apply(AluOp::kMult, b, TileOperand::of(-1)), a);
  }
  if (!a.tile) a = tile_of(a);
  TileOperation operation;
  operation.kind = b.tile ? TileOperation::Kind::kTensor : TileOperation::Kind::kScalar;
  operation.a = a;
  operation.b = b;
  operation.op = op;
  return append(operation);
}

TileOperand TileCode::select(TileOperand condition, TileOperand a, TileOperand b) {
  TileOperation operation;
  operation.kind = TileOperation::Kind::kSelect;
  operation.a = tile_of(a);
  operation.b = tile_of(b);
  operation.c = tile_of(condition);
  return append(operation);
}

TileOperand TileCode::nearest(TileOperand x) {
  TileOperation operation;
  operation.kind = TileOperation::Kind::kNearest;
  operation.a = tile_of(x);
  return append(operation);
}

TileOperand TileCode::floor(TileOperand x) {
  const TileOperand near = nearest(x);
  return subtract(near, apply(AluOp::kIsGt, near, x));
}

}  // namespace tahoma::workloads::graph
