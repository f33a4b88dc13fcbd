// SPDX-License-Identifier: Apache-2.0
#include "workloads/norm/row_sum.h"

namespace tahoma::workloads {

namespace {

isa::Scalar scalar_of(const runtime::ScalarOperand& operand) {
  if (operand.column == nullptr) return {false, operand.imm};
  const isa::Tile& tile = operand.column->tile;
  return {true, 0.0F, tile.space, tile.partition, tile.offset};
}

}  // namespace

void RowSum::add(const runtime::TileView& dst, const runtime::TileView& src, isa::ActFn fn, bool last,
                 runtime::ScalarOperand scale, runtime::ScalarOperand bias) {
  isa::Instruction i;
  i.op = isa::Opcode::kActivationReduce;
  i.shape = src.shape;
  i.dst = dst.tile;
  i.src0 = src.tile;
  i.func = fn;
  i.scalar0 = scalar_of(scale);
  i.scalar1 = scalar_of(bias);
  i.command = begun_ ? isa::ReduceCommand::kReduce : isa::ReduceCommand::kResetReduce;
  if (last) i.result = {true, sum_.tile.space, sum_.tile.dtype, sum_.tile.partition, sum_.tile.offset};
  begun_ = true;
  kernel_.emit(isa::Queue::kScalar, i);
}

}  // namespace tahoma::workloads
