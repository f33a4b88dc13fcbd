// SPDX-License-Identifier: Apache-2.0
// Straight-line code of the vector and the scalar engine on tiles of one shape: what an elementwise operator,
// or a chain of them, computes. Values between the first and the last operation are fp32.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/core/instruction.h"

namespace tahoma::workloads::graph {

// A tile, by the number of the operation or input that fills it, or a number.
struct TileOperand {
  std::optional<std::uint32_t> tile;
  double number = 0;
  static TileOperand of(double value) { return {{}, value}; }
};

struct TileOperation {
  enum class Kind : std::uint8_t {
    kActivation,  // a = fn(scale * a + bias)
    kScalar,      // a op number
    kTensor,      // a op b
    kSelect,      // a where c is not 0, else b
    kNearest      // a rounded to an integer, ties to even; |a| < 2^31
  };
  Kind kind = Kind::kActivation;
  std::uint32_t result = 0;
  TileOperand a, b, c;
  isa::ActFn fn = isa::ActFn::kCopy;
  isa::AluOp op = isa::AluOp::kBypass;
  double scale = 1, bias = 0;
};

class TileCode {
 public:
  explicit TileCode(std::uint32_t inputs) : inputs_(inputs), tiles_(inputs) {}

  TileOperand input(std::uint32_t number) const { return {number, 0}; }

  TileOperand activation(isa::ActFn fn, TileOperand x, double scale = 1, double bias = 0);
  TileOperand apply(isa::AluOp op, TileOperand a, TileOperand b);  // of two numbers: computed here
  TileOperand select(TileOperand condition, TileOperand a, TileOperand b);
  TileOperand nearest(TileOperand x);

  TileOperand add(TileOperand a, TileOperand b) { return apply(isa::AluOp::kAdd, a, b); }
  TileOperand subtract(TileOperand a, TileOperand b) { return apply(isa::AluOp::kSubtract, a, b); }
  TileOperand multiply(TileOperand a, TileOperand b) { return apply(isa::AluOp::kMult, a, b); }
  TileOperand maximum(TileOperand a, TileOperand b) { return apply(isa::AluOp::kMax, a, b); }
  TileOperand minimum(TileOperand a, TileOperand b) { return apply(isa::AluOp::kMin, a, b); }
  TileOperand floor(TileOperand x);
  // A number as a tile: computed from the first input.
  TileOperand tile_of(TileOperand x);

  std::uint32_t inputs() const { return inputs_; }
  std::uint32_t tiles() const { return tiles_; }
  const std::vector<TileOperation>& operations() const { return operations_; }

 private:
  TileOperand append(TileOperation operation);

  std::uint32_t inputs_, tiles_;
  std::vector<TileOperation> operations_;
};

}  // namespace tahoma::workloads::graph
