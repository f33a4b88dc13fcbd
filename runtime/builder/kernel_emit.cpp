// SPDX-License-Identifier: Apache-2.0
// Instructions passed to Kernel::emit: the instruction table determines what they access.
#include <fmt/format.h>

#include "isa/table/table_fields.h"
#include "runtime/builder/kernel_impl.h"

namespace tahoma::runtime {

namespace {

struct Touched {
  isa::Tile tile;
  isa::Shape shape;
};

// A tile with the column's address and as many columns as the operand has.
std::optional<Touched> tile_of(const isa::Scalar& scalar, const isa::Shape& shape) {
  if (!scalar.is_tile) return std::nullopt;
  return Touched{{scalar.space, isa::DType::kFp32, scalar.partition, scalar.offset, {0, 0, 0, 1}}, shape};
}
std::optional<Touched> tile_of(const isa::Column& column, const isa::Shape& shape) {
  if (!column.present) return std::nullopt;
  return Touched{{column.space, column.dtype, column.partition, column.offset, {0, 0, 0, 1}}, shape};
}
std::optional<Touched> tile_of(const isa::Tile& tile, const isa::Shape& shape) {
  if (tile == isa::Tile{}) return std::nullopt;  // an optional operand that is absent
  return Touched{tile, shape};
}
std::optional<Touched> tile_of(const isa::DmaSide& word, const isa::Shape&) {
  if (word.space == isa::Space::kHbm) return std::nullopt;
  return Touched{{word.space, word.dtype, word.partition, static_cast<std::uint32_t>(word.offset), {}}, {}};
}
template <class Other>
std::optional<Touched> tile_of(const Other&, const isa::Shape&) {
  return std::nullopt;
}

}  // namespace

// The buffer that contains this byte of a partition: that of the latest pool that covers it.
std::uint32_t Kernel::Impl::buffer_at(isa::Space space, std::uint32_t offset) const {
  for (auto p = pools.rbegin(); p != pools.rend(); ++p)
    if (p->space == space && offset >= p->first_offset && offset < p->first_offset + p->copies * p->step)
      return p->first_buffer + (offset - p->first_offset) / p->step;
  refuse("E-RUN-021", fmt::format("the operand at byte {:#x} of {} is in no pool of this kernel", offset,
                                  isa::name_of(space)));
}

void Kernel::emit(isa::Queue on, const isa::Instruction& instruction) {
  const isa::OpRow& row = isa::row_of(instruction.op);
  impl_->require(isa::find_field(row, isa::FieldKind::kDescriptor) == nullptr,
                 "emit: transfers are not allowed; use load, store, move or send");
  impl_->require(isa::find_field(row, isa::FieldKind::kTarget) == nullptr,
                 "emit: jumps are not allowed in a kernel in program order");
  Op& op = impl_->append(instruction.op, on);
  op.instruction = instruction;
  if (isa::find_field(row, isa::FieldKind::kStationary) != nullptr) impl_->loaded.clear();
  for (const isa::Field& field : row.fields) {
    const isa::FieldTraits& traits = isa::traits_of(field.kind);
    if (traits.role == isa::Role::kNone) continue;
    const isa::Shape shape = isa::operand_shape(field, instruction);
    const auto touched =
        std::visit([&](auto slot) { return tile_of(instruction.*slot, shape); }, traits.slot);
    if (!touched) continue;
    const TileView view{impl_->buffer_at(touched->tile.space, touched->tile.offset), touched->tile,
                        touched->shape};
    if (traits.role == isa::Role::kWrite)
      impl_->writes_to(op, view);
    else
      impl_->reads(op, view);
  }
}

}  // namespace tahoma::runtime
