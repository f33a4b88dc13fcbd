// SPDX-License-Identifier: Apache-2.0
// The vector, scalar and GpSimd engines of a kernel: element-wise operations, reductions and copies.
#pragma once

#include "runtime/builder/kernel_views.h"

namespace tahoma::runtime {

class KernelRecord;

class KernelElementwise {
 public:
  explicit KernelElementwise(KernelRecord& record) : record_(record) {}

  // Element-wise. dst and sources have the same shape (broadcast by stride 0); their first
  // partitions may differ.
  void copy(const TileView& dst, const TileView& src, isa::Queue on = isa::Queue::kVector);
  void tensor_tensor(const TileView& dst, const TileView& a, const TileView& b, isa::AluOp op,
                     isa::Queue on = isa::Queue::kVector);
  using Operand = ScalarOperand;
  void tensor_scalar(const TileView& dst, const TileView& src, isa::AluOp op0, Operand s0,
                     isa::AluOp op1 = isa::AluOp::kBypass, Operand s1 = {},
                     isa::Queue on = isa::Queue::kVector);
  void reduce(const TileView& dst, const TileView& src, isa::AluOp op,
              isa::Queue on = isa::Queue::kVector);  // innermost dimension
  void activation(const TileView& dst, const TileView& src, isa::ActFn fn, Operand scale = {1.0F, nullptr},
                  Operand bias = {});
  void activation_reduce(const TileView& dst, const TileView& sum, const TileView& src, isa::ActFn fn,
                         Operand scale = {1.0F, nullptr}, Operand bias = {});
  void reciprocal(const TileView& dst, const TileView& src);
  void memset(const TileView& dst, float value, isa::Queue on = isa::Queue::kVector);
  // dst = (base + channel_multiplier * p + coefficient * i) `compare` 0 ? src : otherwise
  void affine_select(const TileView& dst, const TileView& src, std::int32_t base,
                     std::int32_t channel_multiplier, std::int16_t coefficient, isa::CompareOp compare,
                     float otherwise);

 private:
  KernelRecord& record_;
};

}  // namespace tahoma::runtime
