// SPDX-License-Identifier: Apache-2.0
// Transfers of a traced kernel.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/nki/lower/emitter.h"
#include "frontend/nki/lower/memory/tensor_regions.h"
#include "isa/table/access.h"
#include "runtime/builder/access_region.h"
#include "runtime/builder/dma_operation.h"

namespace tahoma::runtime::nki {

namespace {

bool same_place(const Side& a, const Side& b) {
  return a.storage == b.storage && a.offset == b.offset && a.axes == b.axes && a.dtype == b.dtype;
}

}  // namespace

void Emitter::place(isa::DmaSide& side, const Side& from) const {
  const Storage& storage = *trace_.storages[from.storage];
  if (!storage.on_chip()) {
    side.arg = decisions_.argument_of[from.storage];
    return;
  }
  side.offset += decisions_.places[from.storage].byte;
  side.partition = static_cast<std::uint16_t>(side.partition + decisions_.places[from.storage].partition);
}

void Emitter::ring(const TransferWork& work, Piece piece, isa::Queue queue, bool transposing) {
  // Registers first: the doorbell needs them.
  isa::Instruction doorbell;
  doorbell.op = transposing                                                ? isa::Opcode::kDmaTranspose
                : work.kind == Transfer::kFold && piece.sources.size() > 1 ? isa::Opcode::kDmaCompute
                                                                           : isa::Opcode::kDmaCopy;
  doorbell.descriptor = static_cast<std::uint32_t>(program_.descriptors.size());
  doorbell.ring = ring_of(queue, machine_.chip.core.dma.rings);
  doorbell.dge = dge_of(work, queue, trace_.limits().core, decisions_.descriptors);
  doorbell.service = work.service;
  if (doorbell.op == isa::Opcode::kDmaCompute) {
    doorbell.sources = static_cast<std::uint8_t>(piece.sources.size());
    doorbell.fold = work.fold;
  }
  const auto offset_register = [&](const Side& side) -> std::uint8_t {
    if (side.dynamic.kind != Dynamic::Kind::kRegister && side.dynamic.kind != Dynamic::Kind::kScalar)
      return isa::kNone;
    return offset_of(side, queue);
  };
  doorbell.dst_reg = offset_register(work.dst);
  doorbell.src_reg = offset_register(work.sources.front());
  place(piece.dst, work.dst);
  for (std::size_t s = 0; s < piece.sources.size(); ++s) {
    place(piece.sources[s], work.sources[s]);
    program_.descriptors.push_back({piece.count, piece.dst, piece.sources[s], work.accumulate});
  }
  bound_rows(doorbell, program_.descriptors[doorbell.descriptor], work);
  Op& op = append(doorbell, queue);
  const isa::Descriptor& first = program_.descriptors[doorbell.descriptor];
  for (std::size_t s = 0; s < piece.sources.size(); ++s) {
    const isa::Descriptor& descriptor = program_.descriptors[doorbell.descriptor + s];
    const Side& side = work.sources[s];
    const Region region = on_chip(side.storage) ? region_of(isa::source_access(descriptor, 0).pattern)
                                                : hbm_region(*trace_.storages[side.storage], side);
    record_accesses(op, side.storage, region, true, false);
    if (on_chip(side.storage) && trace_.storages[side.storage]->buffer == Buffer::kPsum) groups_.read(region);
  }
  const Region written = on_chip(work.dst.storage) ? region_of(isa::destination_access(first, 0).pattern)
                                                   : hbm_region(*trace_.storages[work.dst.storage], work.dst);
  number_rows(op, work);
  record_accesses(op, work.dst.storage, written, work.accumulate, true);
}

// A register must not move a side out of its tensor: the number of rows of dimension 0 that the tensor has. A
// single row has the stride of the register's steps.
void Emitter::bound_rows(isa::Instruction& doorbell, isa::Descriptor& d, const TransferWork& work) const {
  if (doorbell.op != isa::Opcode::kDmaCopy ||
      (doorbell.dst_reg == isa::kNone) == (doorbell.src_reg == isa::kNone))
    return;
  const bool gathers = doorbell.src_reg != isa::kNone;
  isa::DmaSide& rows = gathers ? d.src : d.dst;
  const Side& side = gathers ? work.sources.front() : work.dst;
  const Storage& storage = *trace_.storages[side.storage];
  if (d.count[0] == 1 && rows.space == isa::Space::kHbm && std::in_range<std::int32_t>(side.dynamic.stride))
    rows.stride[0] = static_cast<std::int32_t>(side.dynamic.stride);
  const auto size = static_cast<std::int64_t>(isa::size_of(rows.dtype));
  if (rows.stride[0] <= 0) return;
  const std::int64_t bytes = storage.elements() * storage.element->bytes, pitch = rows.stride[0] * size;
  std::int64_t reach = size;
  for (std::size_t n = 1; n < isa::kFreeDims; ++n)
    reach += std::max<std::int64_t>(0, std::int64_t{d.count[n] - 1} * rows.stride[n]) * size;
  reach += static_cast<std::int64_t>(rows.offset) % pitch;
  if (reach > bytes) return;
  doorbell.extent = static_cast<std::uint32_t>((bytes - reach) / pitch + 1);
  doorbell.skip = work.skip;
}

// Rows of one side that a column of numbers selects.
void Emitter::number_rows(Op& op, const TransferWork& work) {
  const bool gather = work.sources.front().dynamic.kind == Dynamic::Kind::kVector;
  const Side& side = gather ? work.sources.front() : work.dst;
  if (side.dynamic.kind != Dynamic::Kind::kVector) return;
  const Side rows = trace_.side_of(*side.dynamic.index);
  isa::DmaSide column;
  column.partition = static_cast<std::uint16_t>(rows.partition);
  column.offset = static_cast<std::uint64_t>(rows.offset);
  place(column, rows);
  op.instruction.indirect = gather ? isa::Indirection::kGather : isa::Indirection::kScatter;
  op.instruction.result = {true, isa::Space::kSbuf, rows.dtype, column.partition,
                           static_cast<std::uint32_t>(column.offset)};
  op.instruction.extent = static_cast<std::uint32_t>(side.dynamic.bound);
  op.instruction.skip = work.skip;
  const std::uint64_t count = program_.descriptors[op.instruction.descriptor].count[0];
  record_accesses(op, rows.storage, region_of(isa::row_number_access(op.instruction.result, count).pattern),
                  true, false);
}

// A register with the byte offset of a side whose start is known only while the kernel runs.
std::uint8_t Emitter::offset_of(const Side& side, isa::Queue queue) {
  const Dynamic& dynamic = side.dynamic;
  isa::Instruction scale;
  scale.op = isa::Opcode::kRegAlu;
  scale.reg_d = registers_.scratch(queue);
  scale.op0 = isa::AluOp::kMult;
  scale.imm = static_cast<std::int32_t>(dynamic.stride * static_cast<std::int64_t>(isa::size_of(side.dtype)));
  if (dynamic.kind == Dynamic::Kind::kRegister) {
    scale.reg_a = registers_.number(dynamic.reg, queue);
  } else {
    load_word(trace_.side_of(*dynamic.index), scale.reg_d, queue);
    scale.reg_a = scale.reg_d;
  }
  append(scale, queue);
  return scale.reg_d;
}

isa::DmaSide Emitter::word_of(const Side& side) const {
  isa::DmaSide word;
  word.space = on_chip(side.storage) ? isa::Space::kSbuf : isa::Space::kHbm;
  word.dtype = side.dtype;
  word.partition = static_cast<std::uint16_t>(side.partition);
  word.offset = static_cast<std::uint64_t>(side.offset);
  place(word, side);
  return word;
}

void Emitter::load_word(const Side& side, std::uint8_t reg, isa::Queue queue) {
  isa::Instruction load;
  load.op = isa::Opcode::kRegLoad;
  load.reg_d = reg;
  load.word = word_of(side);
  Op& op = append(load, queue);
  note_word(op, side, false);
}

void Emitter::note_word(Op& op, const Side& side, bool writes) {
  const Region region = on_chip(side.storage)
                            ? region_of(isa::word_access(op.instruction.word, 0, writes).pattern)
                            : hbm_region(*trace_.storages[side.storage], side);
  record_accesses(op, side.storage, region, !writes, writes);
}

// A tensor copied onto itself: no transfer, but everything before is complete for everything after.
void Emitter::fence(const Recorded& entry) {
  isa::Instruction nothing;
  Op& op = append(nothing, isa::Queue::kSync);
  const Side& side = entry.transfer->dst;
  op.touch(hbm_region(*trace_.storages[side.storage], side), true);
}

void Emitter::transfer(const Recorded& entry, isa::Queue queue) {
  const TransferWork& work = *entry.transfer;
  if (work.kind == Transfer::kCopy && !on_chip(work.dst.storage) &&
      same_place(work.dst, work.sources.front()))
    return fence(entry);
  const bool gather = work.sources.front().dynamic.kind == Dynamic::Kind::kVector;
  const bool scatter = work.dst.dynamic.kind == Dynamic::Kind::kVector;
  const std::vector<Piece> pieces =
      gather || scatter ? indirect_pieces(work, trace_, gather) : pieces_of(work, trace_);
  for (const Piece& piece : pieces)
    ring(work, piece, queue, work.kind == Transfer::kTranspose && can_transpose(piece));
}

}  // namespace tahoma::runtime::nki
