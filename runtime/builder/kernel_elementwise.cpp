// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/kernel_elementwise.h"

#include "runtime/builder/kernel_record.h"

namespace tahoma::runtime {

void KernelElementwise::copy(const TileView& dst, const TileView& src, isa::Queue on) {
  record_.require_same(dst, src, "copy");
  // NeuronCore-v2's scalar engine has no tensor_copy; nki.isa names the activation instead.
  if (on == isa::Queue::kScalar && record_.machine.chip.core.version == isa::CoreVersion::kV2)
    return activation(dst, src, isa::ActFn::kCopy);
  Op& op = record_.append(isa::Opcode::kTensorCopy, on);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = src.tile;
  record_.reads(op, src);
  record_.writes_to(op, dst);
}

void KernelElementwise::tensor_tensor(const TileView& dst, const TileView& a, const TileView& b,
                                      isa::AluOp op0, isa::Queue on) {
  record_.require_same(dst, a, "tensor_tensor");
  record_.require_same(dst, b, "tensor_tensor");
  Op& op = record_.append(isa::Opcode::kTensorTensor, on);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = a.tile;
  op.instruction.src1 = b.tile;
  op.instruction.op0 = op0;
  record_.reads(op, a);
  record_.reads(op, b);
  record_.writes_to(op, dst);
}

void KernelElementwise::tensor_scalar(const TileView& dst, const TileView& src, isa::AluOp op0, Operand s0,
                                      isa::AluOp op1, Operand s1, isa::Queue on) {
  record_.require_same(dst, src, "tensor_scalar");
  Op& op = record_.append(isa::Opcode::kTensorScalar, on);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = src.tile;
  op.instruction.op0 = op0;
  op.instruction.op1 = op1;
  op.instruction.scalar0 = scalar_of(s0);
  op.instruction.scalar1 = scalar_of(s1);
  record_.reads(op, src);
  record_.reads(op, op.instruction.scalar0, s0.column);
  record_.reads(op, op.instruction.scalar1, s1.column);
  record_.writes_to(op, dst);
}

void KernelElementwise::reduce(const TileView& dst, const TileView& src, isa::AluOp op0, isa::Queue on) {
  record_.require(
      dst.shape.partitions == src.shape.partitions &&
          free_elements(dst.shape) * src.shape.count[isa::kFreeDims - 1] == free_elements(src.shape),
      "reduce: dst must have the shape of src without its innermost dimension");
  Op& op = record_.append(isa::Opcode::kTensorReduce, on);
  op.instruction.shape = src.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = src.tile;
  op.instruction.op0 = op0;
  op.instruction.axes = 1;
  record_.reads(op, src);
  record_.writes_to(op, dst);
}

void KernelElementwise::activation(const TileView& dst, const TileView& src, isa::ActFn fn, Operand scale,
                                   Operand bias) {
  record_.require_same(dst, src, "activation");
  Op& op = record_.append(isa::Opcode::kActivation, isa::Queue::kScalar);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = src.tile;
  op.instruction.func = fn;
  op.instruction.scalar0 = scalar_of(scale);
  op.instruction.scalar1 = scalar_of(bias);
  record_.reads(op, src);
  record_.reads(op, op.instruction.scalar0, scale.column);
  record_.reads(op, op.instruction.scalar1, bias.column);
  record_.writes_to(op, dst);
}

void KernelElementwise::activation_reduce(const TileView& dst, const TileView& sum, const TileView& src,
                                          isa::ActFn fn, Operand scale, Operand bias) {
  record_.require(sum.shape.partitions == src.shape.partitions && free_elements(sum.shape) == 1,
                  "activation_reduce: the sum must be a [P,1] column");
  activation(dst, src, fn, scale, bias);
  Op& op = record_.ops.newest();
  op.instruction.op = isa::Opcode::kActivationReduce;
  op.instruction.result = {true, sum.tile.space, sum.tile.dtype, sum.tile.partition, sum.tile.offset};
  record_.writes_to(op, sum);
}

void KernelElementwise::reciprocal(const TileView& dst, const TileView& src) {
  copy(dst, src, isa::Queue::kVector);
  record_.ops.newest().instruction.op = isa::Opcode::kReciprocal;
}

void KernelElementwise::memset(const TileView& dst, float value, isa::Queue on) {
  Op& op = record_.append(isa::Opcode::kMemset, on);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.value = value;
  record_.writes_to(op, dst);
}

void KernelElementwise::affine_select(const TileView& dst, const TileView& src, std::int32_t base,
                                      std::int32_t channel_multiplier, std::int16_t coefficient,
                                      isa::CompareOp compare, float otherwise) {
  copy(dst, src, isa::Queue::kGpSimd);
  isa::Instruction& instruction = record_.ops.newest().instruction;
  instruction.op = isa::Opcode::kAffineSelect;
  instruction.base = base;
  instruction.channel_multiplier = channel_multiplier;
  instruction.pattern[isa::kFreeDims - 1] = coefficient;
  instruction.compare = compare;
  instruction.value = otherwise;
}

}  // namespace tahoma::runtime
