// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/kernel.h"

#include <algorithm>

#include "isa/table/table_fields.h"
#include "runtime/builder/kernel_record.h"

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

Kernel::Kernel(std::string name, const model::MachineParams& machine, std::shared_ptr<OperationKinds> kinds)
    : Kernel(std::make_unique<KernelRecord>(std::move(name), machine, std::move(kinds))) {}

Kernel::Kernel(std::unique_ptr<KernelRecord> record)
    : KernelMemory(*record),
      KernelTransfers(*record),
      KernelSignals(*record),
      KernelMatmul(*record),
      KernelElementwise(*record),
      record_(std::move(record)) {}

Kernel::~Kernel() = default;

void Kernel::region(const std::string& name) {
  auto& regions = record_->program.regions;
  auto known = std::find(regions.begin(), regions.end(), name);
  if (known == regions.end()) known = regions.insert(regions.end(), name);
  record_->ops.enter(static_cast<std::uint16_t>(known - regions.begin() + 1));
}

void Kernel::scalar_tensor_tensor(const TileView& dst, const TileView& src0, isa::AluOp op0, Operand scalar,
                                  isa::AluOp op1, const TileView& src1) {
  record_->require_same(dst, src0, "scalar_tensor_tensor");
  record_->require_same(dst, src1, "scalar_tensor_tensor");
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

void Kernel::emit(isa::Queue on, const isa::Instruction& instruction) {
  const isa::OpRow& row = isa::row_of(instruction.op);
  record_->require(isa::find_field(row, isa::FieldKind::kDescriptor) == nullptr,
                   "emit: transfers are not allowed; use load, store, move or send");
  record_->require(isa::find_field(row, isa::FieldKind::kTarget) == nullptr,
                   "emit: jumps are not allowed in a kernel in program order");
  Op& op = record_->append(instruction.op, on);
  op.instruction = instruction;
  if (isa::find_field(row, isa::FieldKind::kStationary) != nullptr) forget_weights();
  for (const isa::Field& field : row.fields) {
    const isa::FieldTraits& traits = isa::traits_of(field.kind);
    if (traits.role == isa::Role::kNone) continue;
    const isa::Shape shape = isa::operand_shape(field, instruction);
    const auto touched =
        std::visit([&](auto slot) { return tile_of(instruction.*slot, shape); }, traits.slot);
    if (!touched) continue;
    const TileView view{buffer_at(touched->tile.space, touched->tile.offset), touched->tile, touched->shape};
    if (traits.role == isa::Role::kWrite)
      record_->writes_to(op, view);
    else
      record_->reads(op, view);
  }
}

isa::Program Kernel::finish() {
  schedule(record_->ops, first_signal(), record_->program);
  // Many kernels are built before the first one is finished, so this releases the memory for the next one.
  record_->ops = Operations();
  record_->program.descriptors.shrink_to_fit();
  return std::move(record_->program);
}

}  // namespace tahoma::runtime
