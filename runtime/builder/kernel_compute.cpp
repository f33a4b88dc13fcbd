// SPDX-License-Identifier: Apache-2.0
// Compute instructions of the kernel builder.
#include <algorithm>

#include "runtime/builder/kernel.h"
#include "runtime/builder/kernel_impl.h"

namespace tahoma::runtime {

namespace {

bool same_tile(const TileView& a, const TileView& b) {
  return a.buffer == b.buffer && a.tile == b.tile && a.shape == b.shape;
}

bool same_operand(const Stationary& a, const Stationary& b) {
  const bool tags = a.tags && b.tags ? same_tile(*a.tags, *b.tags) : a.tags.has_value() == b.tags.has_value();
  return same_tile(a.tile, b.tile) && a.mode == b.mode && tags;
}

isa::Scalar scalar_of(const Kernel::Operand& operand) {
  isa::Scalar scalar;
  scalar.imm = operand.imm;
  if (operand.column == nullptr) return scalar;
  scalar = {true, 0.0F, operand.column->tile.space, operand.column->tile.partition,
            operand.column->tile.offset};
  return scalar;
}

}  // namespace

void Kernel::Impl::reads(Op& op, const isa::Scalar& scalar, const TileView* column) {
  if (!scalar.is_tile) return;
  require(column->tile.dtype == isa::DType::kFp32 && free_elements(column->shape) == 1,
          "a per-partition operand must be a [P,1] column of fp32");
  require(column->shape.partitions == op.instruction.shape.partitions,
          "a per-partition operand must have as many partitions as the tile");
  op.touch(region_of(*column), false);
}

isa::ArraySize Kernel::Impl::array() const {
  const model::TensorParams& tensor = machine.chip.core.tensor;
  return {static_cast<unsigned>(tensor.rows), static_cast<unsigned>(tensor.columns)};
}

void Kernel::Impl::load_weights(const TileView& dst, const Stationary& stationary, const TileView& moving) {
  require(stationary.tile.tile.partition % array().rows == moving.tile.partition % array().rows,
          "stationary and moving must begin at the same row of the array: their first partitions differ");
  const auto column = static_cast<std::uint8_t>(dst.tile.partition % array().columns);
  const std::uint64_t version = writes.at(stationary.tile.buffer),
                      tags_version = stationary.tags ? writes.at(stationary.tags->buffer) : 0;
  const bool stands = std::any_of(loaded.begin(), loaded.end(), [&](const Loaded& l) {
    return l.version == version && l.tags_version == tags_version && l.column == column &&
           same_operand(l.operand, stationary);
  });
  if (stands) return;
  Op& op = append(isa::Opcode::kLoadWeights, isa::Queue::kTensor);
  op.instruction.shape = stationary.tile.shape;
  op.instruction.src0 = stationary.tile.tile;
  op.instruction.column = column;
  op.instruction.mode = stationary.mode;
  reads(op, stationary.tile);
  if (stationary.tags) {
    op.instruction.src1 = stationary.tags->tile;
    reads(op, *stationary.tags);
  }
  const isa::ArrayBlock tile = isa::tile_of(isa::standing_of(op.instruction, array()).block, array());
  std::erase_if(loaded, [&](const Loaded& l) { return isa::overlap(l.tile, tile); });
  loaded.push_back({stationary, column, version, tags_version, tile});
}

void Kernel::Impl::continue_group(const TileView& dst) {
  const Region region = region_of(dst);
  for (std::size_t i = ops.size(); i-- > 0;)
    for (const Access& access : ops[i].accesses) {
      if (!access.region.overlaps(region)) continue;
      const bool same = access.region.contains(region) && region.contains(access.region);
      if (same && ops[i].instruction.op == isa::Opcode::kMatmul)
        ops.change(i, [](Op& op) { op.instruction.open = true; });
      return;
    }
}

void Kernel::matmul(const TileView& dst, const Stationary& stationary, const TileView& moving,
                    bool accumulate) {
  const isa::ModeRow& mode = isa::row_of(stationary.mode);
  const unsigned in_weights = mode.kept > 0 ? 1 : mode.slices;  // a compressed operand has one slice
  const std::uint64_t columns = free_elements(stationary.tile.shape) / in_weights;
  impl_->require(stationary.tile.shape.partitions == moving.shape.partitions,
                 "matmul: stationary and moving must have the same partitions, the contraction");
  impl_->require(dst.shape.partitions == columns &&
                     free_elements(dst.shape) * mode.slices == free_elements(moving.shape),
                 "matmul: dst must be [columns of stationary, columns of moving]");
  impl_->load_weights(dst, stationary, moving);
  if (accumulate) impl_->continue_group(dst);
  Op& op = impl_->append(isa::Opcode::kMatmul, isa::Queue::kTensor);
  op.instruction.shape = moving.shape;
  op.instruction.columns = static_cast<std::uint8_t>(columns);
  op.instruction.dst = dst.tile;
  op.instruction.src0 = moving.tile;
  op.instruction.accumulate = accumulate;
  op.instruction.mode = stationary.mode;
  impl_->reads(op, moving);
  impl_->writes_to(op, dst);
}

void Kernel::transpose(const TileView& dst, const TileView& src, const TileView& identity) {
  const std::uint64_t columns = free_elements(src.shape);
  impl_->require(identity.shape.partitions == src.shape.partitions &&
                     free_elements(identity.shape) == identity.shape.partitions,
                 "transpose: the identity must be [partitions of src, partitions of src]");
  impl_->require(dst.shape.partitions == columns && free_elements(dst.shape) == src.shape.partitions,
                 "transpose: dst must be [columns of src, partitions of src]");
  impl_->load_weights(dst, src, identity);
  Op& op = impl_->append(isa::Opcode::kTranspose, isa::Queue::kTensor);
  op.instruction.shape = identity.shape;
  op.instruction.columns = static_cast<std::uint8_t>(columns);
  op.instruction.dst = dst.tile;
  op.instruction.src0 = identity.tile;
  impl_->reads(op, identity);
  impl_->writes_to(op, dst);
}

void Kernel::copy(const TileView& dst, const TileView& src, isa::Queue on) {
  impl_->require_same(dst, src, "copy");
  Op& op = impl_->append(isa::Opcode::kTensorCopy, on);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = src.tile;
  impl_->reads(op, src);
  impl_->writes_to(op, dst);
}

void Kernel::tensor_tensor(const TileView& dst, const TileView& a, const TileView& b, isa::AluOp op0,
                           isa::Queue on) {
  impl_->require_same(dst, a, "tensor_tensor");
  impl_->require_same(dst, b, "tensor_tensor");
  Op& op = impl_->append(isa::Opcode::kTensorTensor, on);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = a.tile;
  op.instruction.src1 = b.tile;
  op.instruction.op0 = op0;
  impl_->reads(op, a);
  impl_->reads(op, b);
  impl_->writes_to(op, dst);
}

void Kernel::tensor_scalar(const TileView& dst, const TileView& src, isa::AluOp op0, Operand s0,
                           isa::AluOp op1, Operand s1, isa::Queue on) {
  impl_->require_same(dst, src, "tensor_scalar");
  Op& op = impl_->append(isa::Opcode::kTensorScalar, on);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = src.tile;
  op.instruction.op0 = op0;
  op.instruction.op1 = op1;
  op.instruction.scalar0 = scalar_of(s0);
  op.instruction.scalar1 = scalar_of(s1);
  impl_->reads(op, src);
  impl_->reads(op, op.instruction.scalar0, s0.column);
  impl_->reads(op, op.instruction.scalar1, s1.column);
  impl_->writes_to(op, dst);
}

void Kernel::reduce(const TileView& dst, const TileView& src, isa::AluOp op0, isa::Queue on) {
  impl_->require(
      dst.shape.partitions == src.shape.partitions &&
          free_elements(dst.shape) * src.shape.count[isa::kFreeDims - 1] == free_elements(src.shape),
      "reduce: dst must have the shape of src without its innermost dimension");
  Op& op = impl_->append(isa::Opcode::kTensorReduce, on);
  op.instruction.shape = src.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = src.tile;
  op.instruction.op0 = op0;
  op.instruction.axes = 1;
  impl_->reads(op, src);
  impl_->writes_to(op, dst);
}

void Kernel::scalar_tensor_tensor(const TileView& dst, const TileView& src0, isa::AluOp op0, Operand scalar,
                                  isa::AluOp op1, const TileView& src1) {
  impl_->require_same(dst, src0, "scalar_tensor_tensor");
  impl_->require_same(dst, src1, "scalar_tensor_tensor");
  isa::Instruction i;
  i.op = isa::Opcode::kScalarTensorTensor;
  i.shape = dst.shape;
  i.dst = dst.tile;
  i.src0 = src0.tile;
  i.src1 = src1.tile;
  i.op0 = op0;
  i.op1 = op1;
  i.scalar0 = scalar_of(scalar);
  emit(isa::Queue::kVector, i);
}

void Kernel::activation(const TileView& dst, const TileView& src, isa::ActFn fn, Operand scale,
                        Operand bias) {
  impl_->require_same(dst, src, "activation");
  Op& op = impl_->append(isa::Opcode::kActivation, isa::Queue::kScalar);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = src.tile;
  op.instruction.func = fn;
  op.instruction.scalar0 = scalar_of(scale);
  op.instruction.scalar1 = scalar_of(bias);
  impl_->reads(op, src);
  impl_->reads(op, op.instruction.scalar0, scale.column);
  impl_->reads(op, op.instruction.scalar1, bias.column);
  impl_->writes_to(op, dst);
}

void Kernel::activation_reduce(const TileView& dst, const TileView& sum, const TileView& src, isa::ActFn fn,
                               Operand scale, Operand bias) {
  impl_->require(sum.shape.partitions == src.shape.partitions && free_elements(sum.shape) == 1,
                 "activation_reduce: the sum must be a [P,1] column");
  activation(dst, src, fn, scale, bias);
  Op& op = impl_->ops.newest();
  op.instruction.op = isa::Opcode::kActivationReduce;
  op.instruction.result = {true, sum.tile.space, sum.tile.dtype, sum.tile.partition, sum.tile.offset};
  impl_->writes_to(op, sum);
}

void Kernel::reciprocal(const TileView& dst, const TileView& src) {
  copy(dst, src, isa::Queue::kVector);
  impl_->ops.newest().instruction.op = isa::Opcode::kReciprocal;
}

void Kernel::memset(const TileView& dst, float value, isa::Queue on) {
  Op& op = impl_->append(isa::Opcode::kMemset, on);
  op.instruction.shape = dst.shape;
  op.instruction.dst = dst.tile;
  op.instruction.value = value;
  impl_->writes_to(op, dst);
}

void Kernel::affine_select(const TileView& dst, const TileView& src, std::int32_t base,
                           std::int32_t channel_multiplier, std::int16_t coefficient, isa::CompareOp compare,
                           float otherwise) {
  copy(dst, src, isa::Queue::kGpSimd);
  isa::Instruction& instruction = impl_->ops.newest().instruction;
  instruction.op = isa::Opcode::kAffineSelect;
  instruction.base = base;
  instruction.channel_multiplier = channel_multiplier;
  instruction.pattern[isa::kFreeDims - 1] = coefficient;
  instruction.compare = compare;
  instruction.value = otherwise;
}

}  // namespace tahoma::runtime
