// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/kernel_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/builder/kernel_record.h"

namespace tahoma::runtime {

namespace {

constexpr std::uint32_t kAlignment = 64;  // alignment of a tile in its partition, in bytes: one HBM access

std::uint32_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return static_cast<std::uint32_t>((value + unit - 1) / unit * unit);
}

}  // namespace

HbmView KernelMemory::argument(const std::string& name, isa::DType dtype, std::uint64_t rows,
                               std::uint64_t columns) {
  const std::uint8_t arg =
      record_.new_argument(name, std::max<std::uint64_t>(1, columns * isa::size_of(dtype)));
  HbmView view{arg, dtype, 0, rows, columns, static_cast<std::int64_t>(columns)};
  view.buffer = arg;
  return view;
}

void KernelMemory::control(const HbmView& argument) { record_.program.control.set(argument.arg); }

HbmView KernelMemory::beside(const HbmView& argument, std::int64_t bytes, isa::DType dtype,
                             std::uint64_t rows, std::uint64_t columns) {
  HbmView view{argument.arg, dtype, 0, rows, columns, static_cast<std::int64_t>(columns)};
  view.origin = bytes;
  view.buffer = record_.new_buffers(1);
  record_.set_row_bytes(view.buffer, std::max<std::uint64_t>(1, columns * isa::size_of(dtype)));
  return view;
}

void KernelMemory::track_bytes(const HbmView& tensor) {
  record_.set_row_bytes(tensor.buffer, KernelRecord::kNoRows);
}

KernelMemory::Scope::Scope(KernelMemory& memory)
    : memory_(memory), sbuf_(memory.sbuf_used_), psum_(memory.psum_used_) {}

KernelMemory::Scope::~Scope() {
  memory_.sbuf_used_ = sbuf_;
  memory_.psum_used_ = psum_;
}

Pool KernelMemory::new_pool(PoolState state) {
  const bool in_sbuf = state.space == isa::Space::kSbuf;
  const model::CoreParams& core = record_.machine.chip.core;
  const std::uint64_t size = in_sbuf ? core.sbuf.usable.count : core.psum.per_partition.count;
  std::uint32_t& used = in_sbuf ? sbuf_used_ : psum_used_;
  const std::uint64_t need = std::uint64_t{state.step} * state.copies;
  if (used + need > size) {
    record_.refuse("E-RUN-020",
                   fmt::format("pool '{}' needs {} bytes of each {} partition ({} copies of {} columns "
                               "of {}), {} of {} are left",
                               state.name, need, in_sbuf ? "SBUF" : "PSUM", state.copies, state.columns,
                               isa::name_of(state.dtype), size - used, size));
  }
  state.first_offset = used;
  used += static_cast<std::uint32_t>(need);
  state.first_buffer = record_.new_buffers(state.copies);
  pools_.push_back(std::move(state));
  return {static_cast<std::uint32_t>(pools_.size() - 1)};
}

Pool KernelMemory::sbuf(const std::string& name, isa::DType dtype, unsigned columns, unsigned copies) {
  const std::uint32_t step = rounded_up(std::uint64_t{columns} * isa::size_of(dtype), kAlignment);
  return new_pool({name, isa::Space::kSbuf, dtype, columns, copies, 0, step, 0});
}

Pool KernelMemory::psum(const std::string& name, isa::DType dtype, unsigned columns, unsigned copies) {
  const std::uint64_t bank = record_.machine.chip.core.psum.bank.count;
  const std::uint32_t step = rounded_up(std::uint64_t{columns} * isa::size_of(dtype), bank);
  return new_pool({name, isa::Space::kPsum, dtype, columns, copies, 0, step, 0});
}

TileView KernelMemory::take(Pool pool, unsigned partitions, unsigned columns) {
  PoolState& p = pools_.at(pool.id);
  record_.require(partitions >= 1 && partitions <= record_.machine.chip.core.sbuf.partitions,
                  "take: the partitions exceed those of the machine");
  record_.require(columns >= 1 && columns <= p.columns && columns <= UINT16_MAX,
                  "take: more columns than the pool has");
  const unsigned copy = p.next;
  p.next = (p.next + 1) % p.copies;
  TileView view;
  view.buffer = p.first_buffer + copy;
  view.tile.space = p.space;
  view.tile.dtype = p.dtype;
  view.tile.offset = p.first_offset + copy * p.step;
  view.tile.stride = {0, 0, 0, 1};
  view.shape.partitions = static_cast<std::uint16_t>(partitions);
  view.shape.count = {1, 1, 1, static_cast<std::uint16_t>(columns)};
  return view;
}

std::uint32_t KernelMemory::buffer_at(isa::Space space, std::uint32_t offset) const {
  for (auto p = pools_.rbegin(); p != pools_.rend(); ++p)
    if (p->space == space && offset >= p->first_offset && offset < p->first_offset + p->copies * p->step)
      return p->first_buffer + (offset - p->first_offset) / p->step;
  record_.refuse("E-RUN-021", fmt::format("the operand at byte {:#x} of {} is in no pool of this kernel",
                                          offset, isa::name_of(space)));
}

}  // namespace tahoma::runtime
