// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/dma_operation.h"

namespace tahoma::runtime {

namespace {

// Strides of a dense array in iteration order, `step` elements apart: they map a row in HBM to a tile with
// several free dimensions.
std::array<std::int32_t, isa::kFreeDims> dense_strides(const isa::Shape& shape, std::int32_t step) {
  std::array<std::int32_t, isa::kFreeDims> stride{};
  for (std::size_t d = isa::kFreeDims; d-- > 1;) {
    stride[d] = step;
    step *= shape.count[d];
  }
  return stride;
}

}  // namespace

std::array<std::uint32_t, isa::kFreeDims> counts_of(const HbmView& view) {
  const auto rows = static_cast<std::uint32_t>(view.rows), columns = static_cast<std::uint32_t>(view.columns);
  if (!view.repeated()) return {rows, 1, 1, columns};
  return {static_cast<std::uint32_t>(view.repeats[0].count),
          static_cast<std::uint32_t>(view.repeats[1].count), rows, columns};
}

isa::DmaSide side_of(const TileView& view) {
  isa::DmaSide side;
  side.space = view.tile.space;
  side.dtype = view.tile.dtype;
  side.partition = view.tile.partition;
  side.offset = view.tile.offset;
  for (std::size_t d = 1; d < isa::kFreeDims; ++d) side.stride[d] = view.tile.stride[d];
  return side;
}

isa::DmaSide side_of(const HbmView& view, const isa::Shape* free_shape) {
  isa::DmaSide side;
  side.dtype = view.dtype;
  side.arg = view.arg;
  side.offset = view.offset + static_cast<std::uint64_t>(view.origin + view.distance);
  const auto step = static_cast<std::int32_t>(view.column_stride);
  if (free_shape != nullptr)
    side.stride = dense_strides(*free_shape, step);
  else
    side.stride[isa::kFreeDims - 1] = step;
  side.stride[0] = static_cast<std::int32_t>(view.row_stride);
  if (view.repeated()) {
    side.stride[0] = static_cast<std::int32_t>(view.repeats[0].stride);
    side.stride[1] = static_cast<std::int32_t>(view.repeats[1].stride);
    side.stride[2] = static_cast<std::int32_t>(view.row_stride);
  }
  return side;
}

Op& append_dma(KernelRecord& record, isa::Queue on, const isa::Descriptor& descriptor) {
  Op& op = record.append(isa::Opcode::kDmaCopy, on);
  op.instruction.descriptor = static_cast<std::uint32_t>(record.program.descriptors.size());
  op.instruction.ring = ring_of(on, record.machine.chip.core.dma.rings);
  record.program.descriptors.push_back(descriptor);
  return op;
}

Op& append_move(KernelRecord& record, const HbmView& dst, const Folded& what, isa::Queue on) {
  record.require(dst.rows >= 1 && dst.columns >= 1, "move: the window must not be empty");
  record.require(!what.sources.empty() && what.sources.size() <= isa::kMostSources,
                 "move: expected 1 to 16 sources");
  const std::array<std::uint32_t, isa::kFreeDims> counts = counts_of(dst);
  const auto descriptor = [&](const HbmView& src) {
    record.require(counts_of(src) == counts, "move: all windows must have the same size");
    return isa::Descriptor{counts, side_of(dst, nullptr), side_of(src, nullptr), false};
  };
  Op& op = append_dma(record, on, descriptor(what.sources.front()));
  record.touches(op, what.sources.front(), false);
  if (what.sources.size() == 1) return op;
  op.instruction.op = isa::Opcode::kDmaCompute;
  op.instruction.sources = static_cast<std::uint8_t>(what.sources.size());
  op.instruction.fold = what.op;
  for (std::size_t s = 1; s < what.sources.size(); ++s) {
    record.program.descriptors.push_back(descriptor(what.sources[s]));
    record.touches(op, what.sources[s], false);
  }
  return op;
}

}  // namespace tahoma::runtime
