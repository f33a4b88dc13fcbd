// SPDX-License-Identifier: Apache-2.0
// Arguments, on-chip memory and regions of the kernel builder.
#include "runtime/builder/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "model/base/error.h"
#include "runtime/builder/kernel_impl.h"

namespace tahoma::runtime {

namespace {

constexpr std::uint32_t kAlignment = 64;  // alignment of a tile in its partition, in bytes: one HBM access

std::uint32_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return static_cast<std::uint32_t>((value + unit - 1) / unit * unit);
}

}  // namespace

Kernel::Kernel(std::string name, const model::MachineParams& machine, std::shared_ptr<OperationKinds> kinds)
    : impl_(std::make_unique<Impl>()) {
  if (kinds) impl_->ops = Operations(std::move(kinds));
  impl_->machine = machine;
  impl_->program.name = std::move(name);
  impl_->writes.resize(isa::kArguments);
}

Kernel::~Kernel() = default;

void Kernel::Impl::refuse(const std::string& code, const std::string& text) const {
  throw base::UserError(code, fmt::format("kernel '{}', operation {}", program.name, ops.size()), text,
                        base::ExitStatus::kProgram);
}

void Kernel::Impl::require(bool condition, const char* text) const {
  if (!condition) refuse("E-RUN-021", text);
}

void Kernel::Impl::require_same(const TileView& a, const TileView& b, const char* what) const {
  if (a.shape == b.shape) return;
  refuse("E-RUN-021",
         fmt::format("{}: shapes differ, {} partitions x {} and {} partitions x {}", what, a.shape.partitions,
                     free_elements(a.shape), b.shape.partitions, free_elements(b.shape)));
}

std::uint8_t Kernel::Impl::new_argument(const std::string& name, std::uint64_t row_bytes) {
  if (program.args.size() >= isa::kArguments)
    refuse("E-RUN-023",
           fmt::format("argument '{}' exceeds the limit of {} arguments", name, isa::kArguments));
  program.args.push_back(name);
  const auto arg = static_cast<std::uint8_t>(program.args.size() - 1);
  pitch[arg] = row_bytes;
  return arg;
}

HbmView Kernel::argument(const std::string& name, isa::DType dtype, std::uint64_t rows,
                         std::uint64_t columns) {
  const std::uint8_t arg =
      impl_->new_argument(name, std::max<std::uint64_t>(1, columns * isa::size_of(dtype)));
  HbmView view{arg, dtype, 0, rows, columns, static_cast<std::int64_t>(columns)};
  view.buffer = arg;
  return view;
}

void Kernel::control(const HbmView& argument) { impl_->program.control.set(argument.arg); }

HbmView Kernel::beside(const HbmView& argument, std::int64_t bytes, isa::DType dtype, std::uint64_t rows,
                       std::uint64_t columns) {
  HbmView view{argument.arg, dtype, 0, rows, columns, static_cast<std::int64_t>(columns)};
  view.origin = bytes;
  view.buffer = impl_->new_buffers(1);
  impl_->pitch[view.buffer] = std::max<std::uint64_t>(1, columns * isa::size_of(dtype));
  return view;
}

std::uint8_t Kernel::core_argument(const std::string& name) { return impl_->new_argument(name, 1); }

std::uint8_t Kernel::own_core(const std::string& name) {
  return impl_->own_core = impl_->new_argument(name, 1);
}

Signal Kernel::signal() {
  if (impl_->next_signal == 0) impl_->refuse("E-RUN-023", "out of semaphores for signals");
  return {static_cast<std::uint8_t>(--impl_->next_signal)};
}

Kernel::Scope::Scope(Kernel& kernel)
    : kernel_(kernel), sbuf_(kernel.impl_->sbuf_used), psum_(kernel.impl_->psum_used) {}

Kernel::Scope::~Scope() {
  kernel_.impl_->sbuf_used = sbuf_;
  kernel_.impl_->psum_used = psum_;
}

std::uint32_t Kernel::Impl::new_buffers(unsigned count) {
  const auto first = static_cast<std::uint32_t>(writes.size());
  writes.resize(writes.size() + count);
  return first;
}

Pool Kernel::Impl::new_pool(PoolState state) {
  const bool in_sbuf = state.space == isa::Space::kSbuf;
  const model::CoreParams& core = machine.chip.core;
  const std::uint64_t size = in_sbuf ? core.sbuf.usable.count : core.psum.per_partition.count;
  std::uint32_t& used = in_sbuf ? sbuf_used : psum_used;
  const std::uint64_t need = std::uint64_t{state.step} * state.copies;
  if (used + need > size) {
    refuse("E-RUN-020", fmt::format("pool '{}' needs {} bytes of each {} partition ({} copies of {} columns "
                                    "of {}), {} of {} are left",
                                    state.name, need, in_sbuf ? "SBUF" : "PSUM", state.copies, state.columns,
                                    isa::name_of(state.dtype), size - used, size));
  }
  state.first_offset = used;
  used += static_cast<std::uint32_t>(need);
  state.first_buffer = new_buffers(state.copies);
  pools.push_back(std::move(state));
  return {static_cast<std::uint32_t>(pools.size() - 1)};
}

Pool Kernel::sbuf(const std::string& name, isa::DType dtype, unsigned columns, unsigned copies) {
  const std::uint32_t step = rounded_up(std::uint64_t{columns} * isa::size_of(dtype), kAlignment);
  return impl_->new_pool({name, isa::Space::kSbuf, dtype, columns, copies, 0, step, 0});
}

Pool Kernel::psum(const std::string& name, isa::DType dtype, unsigned columns, unsigned copies) {
  const std::uint64_t bank = impl_->machine.chip.core.psum.bank.count;
  const std::uint32_t step = rounded_up(std::uint64_t{columns} * isa::size_of(dtype), bank);
  return impl_->new_pool({name, isa::Space::kPsum, dtype, columns, copies, 0, step, 0});
}

TileView Kernel::take(Pool pool, unsigned partitions, unsigned columns) {
  Impl::PoolState& p = impl_->pools.at(pool.id);
  impl_->require(partitions >= 1 && partitions <= impl_->machine.chip.core.sbuf.partitions,
                 "take: the partitions exceed those of the machine");
  impl_->require(columns >= 1 && columns <= p.columns && columns <= UINT16_MAX,
                 "take: more columns than the pool has");
  const unsigned copy = p.next;
  p.next = (p.next + 1) % p.copies;
  TileView view;
  view.buffer = p.first_buffer + copy;
  view.tile.space = p.space;
  view.tile.dtype = p.dtype;
  view.tile.offset = p.first_offset + copy * p.step;
  view.tile.stride = {0, 0, 0, 1};
  view.shape.partitions = static_cast<std::uint8_t>(partitions);
  view.shape.count = {1, 1, 1, static_cast<std::uint16_t>(columns)};
  return view;
}

// All of SBUF shares one buffer number, and so does all of PSUM: a pool may reuse the space of
// one that was released.
constexpr std::uint32_t kOnChip = 0xfffffff0;

// The bytes from the first to the last element. Gaps are tracked only if a single dimension causes them;
// other strided tiles are treated as contiguous.
Region Kernel::Impl::region_of(const TileView& view) const {
  std::int64_t low = 0, high = 0, step = 0;
  unsigned dimensions = 0;
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    const std::int64_t reach = std::int64_t{view.tile.stride[d]} * (view.shape.count[d] - 1);
    (reach < 0 ? low : high) += reach;
    if (reach == 0) continue;
    ++dimensions;
    step = view.tile.stride[d];
  }
  const auto size = static_cast<std::int64_t>(isa::size_of(view.tile.dtype));
  Region region{kOnChip + static_cast<std::uint32_t>(view.tile.space), view.tile.partition,
                view.shape.partitions, static_cast<std::uint64_t>(view.tile.offset + low * size),
                static_cast<std::uint64_t>((high - low + 1) * size)};
  if (dimensions == 1 && std::abs(step) > 1) {
    region.step = static_cast<std::uint64_t>(std::abs(step) * size);
    region.width = static_cast<std::uint64_t>(size);
  }
  return region;
}

// The region is rows of the tensor by bytes in a row. If the stride of a window is several rows, the rows in
// between count as part of it. A window that does not consist of parts of rows is treated as whole rows.
Region Kernel::Impl::region_of(const HbmView& view) const {
  const std::uint64_t row_bytes = pitch.at(view.buffer), size = isa::size_of(view.dtype);
  const std::uint64_t width =
      ((view.columns - 1) * static_cast<std::uint64_t>(view.column_stride) + 1) * size;
  std::int64_t low = 0, high = 0;  // bytes from the first element to the lowest and the highest row
  bool whole_rows_apart = true;
  const auto extend = [&](std::uint64_t count, std::int64_t stride) {
    if (count <= 1) return;
    const std::int64_t bytes = stride * static_cast<std::int64_t>(size);
    whole_rows_apart = whole_rows_apart && bytes % static_cast<std::int64_t>(row_bytes) == 0;
    (bytes < 0 ? low : high) += static_cast<std::int64_t>(count - 1) * bytes;
  };
  extend(view.rows, view.row_stride);
  for (const HbmView::Repeat& repeat : view.repeats) extend(repeat.count, repeat.stride);
  const auto reach = static_cast<std::uint64_t>(high - low);
  const std::uint64_t begin = view.offset - static_cast<std::uint64_t>(-low), column = begin % row_bytes;
  const auto first = static_cast<std::uint32_t>(begin / row_bytes);
  if (whole_rows_apart && column + width <= row_bytes)
    return {view.buffer, first, static_cast<std::uint32_t>(reach / row_bytes + 1), column, width};
  const std::uint64_t end = begin + reach + width;
  return {view.buffer, first, static_cast<std::uint32_t>((end - 1) / row_bytes - first + 1), 0, row_bytes};
}

Op& Kernel::Impl::append(isa::Opcode opcode, isa::Queue queue) {
  Op& op = ops.append();
  op.queue = queue;
  op.instruction.op = opcode;
  return op;
}

void Kernel::Impl::writes_to(Op& op, const TileView& view) {
  op.touch(region_of(view), true);
  ++writes.at(view.buffer);
}

void Kernel::region(const std::string& name) {
  auto& regions = impl_->program.regions;
  auto known = std::find(regions.begin(), regions.end(), name);
  if (known == regions.end()) known = regions.insert(regions.end(), name);
  impl_->ops.enter(static_cast<std::uint16_t>(known - regions.begin() + 1));
}

isa::Program Kernel::finish() {
  schedule(impl_->ops, impl_->next_signal, impl_->program);
  // Many kernels are built before the first one is finished, so this releases the memory for the next one.
  impl_->ops = Operations();
  return std::move(impl_->program);
}

}  // namespace tahoma::runtime
