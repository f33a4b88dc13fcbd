// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/walk.h"

namespace tahoma::isa {
namespace {

std::ptrdiff_t partition_step(const CoreView& core, Space space) {
  return static_cast<std::ptrdiff_t>(space == Space::kPsum ? core.psum_stride : core.sbuf_stride);
}

}  // namespace

Operand tile_operand(const CoreView& core, const Tile& tile) {
  Operand o{core.at(tile.space, tile.partition, tile.offset), tile.dtype, {}};
  o.step[0] = partition_step(core, tile.space);
  for (std::size_t d = 0; d < kFreeDims; ++d) {
    o.step[d + 1] = tile.stride[d] * static_cast<std::ptrdiff_t>(size_of(tile.dtype));
  }
  return o;
}

Operand scalar_operand(const CoreView& core, const Scalar& scalar) {
  if (!scalar.is_tile) {
    // Operand is one type for sources and destinations; a walk only reads its scalars.
    auto* immediate = const_cast<float*>(&scalar.imm);
    return {reinterpret_cast<std::byte*>(immediate), DType::kFp32, {}};
  }
  Operand o{core.at(scalar.space, scalar.partition, scalar.offset), DType::kFp32, {}};
  o.step[0] = partition_step(core, scalar.space);
  return o;
}

Operand column_operand(const CoreView& core, const Column& column) {
  Operand o{core.at(column.space, column.partition, column.offset), column.dtype, {}};
  o.step[0] = partition_step(core, column.space);
  o.step[kFreeDims] = static_cast<std::ptrdiff_t>(size_of(column.dtype));
  return o;
}

}  // namespace tahoma::isa
