// SPDX-License-Identifier: Apache-2.0
// Data movement of the kernel builder.
#include "model/base/error.h"
#include "runtime/builder/kernel.h"
#include "runtime/builder/kernel_impl.h"

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

std::array<std::uint32_t, isa::kFreeDims> counts_of(const HbmView& view) {
  const auto rows = static_cast<std::uint32_t>(view.rows), columns = static_cast<std::uint32_t>(view.columns);
  if (!view.repeated()) return {rows, 1, 1, columns};
  return {static_cast<std::uint32_t>(view.repeats[0].count),
          static_cast<std::uint32_t>(view.repeats[1].count), rows, columns};
}

}  // namespace

isa::DmaSide Kernel::Impl::side_of(const TileView& view) const {
  isa::DmaSide side;
  side.space = view.tile.space;
  side.dtype = view.tile.dtype;
  side.partition = view.tile.partition;
  side.offset = view.tile.offset;
  for (std::size_t d = 1; d < isa::kFreeDims; ++d) side.stride[d] = view.tile.stride[d];
  return side;
}

isa::DmaSide Kernel::Impl::side_of(const HbmView& view, const isa::Shape* free_shape) const {
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

Op& Kernel::Impl::append_dma(isa::Queue on, const isa::Descriptor& descriptor) {
  Op& op = append(isa::Opcode::kDmaCopy, on);
  op.instruction.descriptor = static_cast<std::uint32_t>(program.descriptors.size());
  // Each queue uses a ring of its own, so that stores do not wait behind loads.
  op.instruction.ring =
      static_cast<std::uint8_t>(static_cast<std::uint64_t>(on) % machine.chip.core.dma.rings);
  program.descriptors.push_back(descriptor);
  return op;
}

void Kernel::load(const TileView& dst, const HbmView& src, isa::Queue on) {
  impl_->require(dst.shape.count[0] == 1, "load: the tile may have at most three free dimensions");
  impl_->require(src.repeated() ? counts_of(src) == transfer_counts(dst.shape)
                                : dst.shape.partitions == src.rows && free_elements(dst.shape) == src.columns,
                 "load: the tile's partitions x elements must equal the window's rows x columns");
  Op& op = impl_->append_dma(
      on, {transfer_counts(dst.shape), impl_->side_of(dst), impl_->side_of(src, &dst.shape), false});
  impl_->writes_to(op, dst);
  impl_->touches(op, src, false);
}

void Kernel::load_transposed(const TileView& dst, const HbmView& src, isa::Queue on) {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  impl_->require(free_elements(dst.shape) == dst.shape.count[kInner],
                 "load_transposed: the tile must have one free dimension");
  impl_->require(dst.shape.partitions == src.columns && free_elements(dst.shape) == src.rows,
                 "load_transposed: the tile's elements x partitions must equal the window's rows x columns");
  isa::DmaSide side = impl_->side_of(dst);
  side.across = kInner;
  side.stride = {dst.tile.stride[kInner], 0, 0, 0};
  const isa::Shape row{1, {1, 1, 1, static_cast<std::uint16_t>(src.columns)}};
  Op& op = impl_->append_dma(on, {{static_cast<std::uint32_t>(src.rows), 1, 1, row.count[kInner]},
                                  side,
                                  impl_->side_of(src, &row),
                                  false});
  op.instruction.op = isa::Opcode::kDmaTranspose;
  impl_->writes_to(op, dst);
  impl_->touches(op, src, false);
}

void Kernel::store(const HbmView& dst, const TileView& src, isa::Queue on, bool accumulate) {
  impl_->require(src.shape.count[0] == 1, "store: the tile may have at most three free dimensions");
  impl_->require(dst.repeated() ? counts_of(dst) == transfer_counts(src.shape)
                                : src.shape.partitions == dst.rows && free_elements(src.shape) == dst.columns,
                 "store: the tile's partitions x elements must equal the window's rows x columns");
  Op& op = impl_->append_dma(
      on, {transfer_counts(src.shape), impl_->side_of(dst, &src.shape), impl_->side_of(src), accumulate});
  impl_->touches(op, dst, true);
  impl_->reads(op, src);
}

Op& Kernel::Impl::append_move(const HbmView& dst, const Folded& what, isa::Queue on) {
  require(dst.rows >= 1 && dst.columns >= 1, "move: the window must not be empty");
  require(!what.sources.empty() && what.sources.size() <= isa::kMostSources,
          "move: expected 1 to 16 sources");
  const std::array<std::uint32_t, isa::kFreeDims> counts = counts_of(dst);
  const auto descriptor = [&](const HbmView& src) {
    require(counts_of(src) == counts, "move: all windows must have the same size");
    return isa::Descriptor{counts, side_of(dst, nullptr), side_of(src, nullptr), false};
  };
  Op& op = append_dma(on, descriptor(what.sources.front()));
  touches(op, what.sources.front(), false);
  if (what.sources.size() == 1) return op;
  op.instruction.op = isa::Opcode::kDmaCompute;
  op.instruction.sources = static_cast<std::uint8_t>(what.sources.size());
  op.instruction.fold = what.op;
  for (std::size_t s = 1; s < what.sources.size(); ++s) {
    program.descriptors.push_back(descriptor(what.sources[s]));
    touches(op, what.sources[s], false);
  }
  return op;
}

void Kernel::move(const HbmView& dst, const HbmView& src, isa::Queue on) {
  impl_->touches(impl_->append_move(dst, src, on), dst, true);
}

void Kernel::move(const TileView& dst, const TileView& src, isa::Queue on) {
  impl_->require_same(dst, src, "move");
  impl_->require(dst.shape.count[0] == 1, "move: the tile may have at most three free dimensions");
  Op& op =
      impl_->append_dma(on, {transfer_counts(dst.shape), impl_->side_of(dst), impl_->side_of(src), false});
  impl_->reads(op, src);
  impl_->writes_to(op, dst);
}

void Kernel::Impl::deliver(Op& op, const Delivery& to, std::int16_t& peer, isa::Update& update) const {
  require(to.peer >= INT16_MIN && to.peer <= INT16_MAX, "the peer must be at most 32768 cores away");
  op.instruction.notify_arg = to.core;
  peer = static_cast<std::int16_t>(to.peer);
  update = {isa::Update::Kind::kAdd, to.signal.semaphore, 1};
}

void Kernel::fold(const HbmView& dst, const Folded& what, isa::Queue on,
                  const std::optional<Delivery>& read) {
  Op& op = impl_->append_move(dst, what, on);
  impl_->touches(op, dst, true);
  if (!read) return;
  // The scheduler's own update of the transfer refers to the same argument.
  impl_->require(read->core == impl_->own_core && read->core != isa::kNone,
                 "fold: `read` must use the argument of own_core()");
  impl_->deliver(op, *read, op.instruction.read_peer, op.instruction.read_update);
}

void Kernel::send(const HbmView& dst, const Folded& what, isa::Queue on, const Delivery& landed,
                  const std::optional<Delivery>& read) {
  // The destination belongs to the other core. The programs' own signals order the writes there.
  Op& op = impl_->append_move(dst, what, on);
  impl_->require(!read || read->core == landed.core, "send: `read` and `landed` must use the same argument");
  impl_->deliver(op, landed, op.instruction.peer, op.instruction.update);
  if (read) impl_->deliver(op, *read, op.instruction.read_peer, op.instruction.read_update);
  // Sends use rings after those of local transfers, which would otherwise queue behind transfers
  // that wait for a link.
  op.instruction.ring = static_cast<std::uint8_t>((static_cast<std::uint64_t>(on) + isa::kQueueCount) %
                                                  impl_->machine.chip.core.dma.rings);
}

void Kernel::wait(isa::Queue on, Signal signal, std::uint32_t value) {
  Op& op = impl_->append(isa::Opcode::kSemWait, on);
  op.instruction.wait = {isa::Wait::Kind::kGe, signal.semaphore, value};
}

void Kernel::wait(isa::Queue on, const HbmView& written) {
  impl_->require(written.distance == 0, "wait: the window must belong to this core");
  impl_->append(isa::Opcode::kSemWait, on).touch(impl_->region_of(written), false);
}

void Kernel::landed(isa::Queue on, const HbmView& window, Signal signal, std::uint32_t value) {
  landed(on, window);
  impl_->ops.newest().instruction.wait = {isa::Wait::Kind::kGe, signal.semaphore, value};
}

void Kernel::landed(isa::Queue on, const HbmView& window) {
  impl_->require(window.distance == 0, "landed: the window must belong to this core");
  impl_->append(isa::Opcode::kNop, on).announce(impl_->region_of(window));
}

void Kernel::meet(isa::Queue on, unsigned pipe, const std::vector<HbmView>& own,
                  const std::vector<HbmView>& theirs) {
  Op& op = impl_->append(isa::Opcode::kCoreBarrier, on);
  op.instruction.pipe = static_cast<std::uint8_t>(pipe);
  for (const HbmView& window : own) op.touch(impl_->region_of(window), false);
  for (const HbmView& window : theirs) op.announce(impl_->region_of(window));
}

}  // namespace tahoma::runtime
