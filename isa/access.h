// SPDX-License-Identifier: Apache-2.0
// Which bytes an instruction reads and writes: one access per operand, from the fields of its row. Both what
// the hardware would do and what a checker of programs has to know; no values, no time.
//
// Leaves out the weights inside the array and the sequencer's registers: they belong to one engine.
#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include "isa/table_fields.h"

namespace tahoma::isa {

// Elements (p, i0..i3) at byte offset + sum(i_d * stride[d]) of partition `partition + p`. In HBM there is
// one partition, number 0, and the offset is a global address.
struct Pattern {
  Space space = Space::kSbuf;
  std::uint8_t partition = 0, partitions = 1;
  std::uint64_t offset = 0;
  std::uint32_t element = 1;  // bytes
  std::array<std::uint32_t, kFreeDims> count{1, 1, 1, 1};
  std::array<std::int64_t, kFreeDims> stride{};  // bytes; 0 and negative ones as in Tile
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

struct OperandAccess {
  Pattern pattern;
  bool reads = false, writes = false;  // both: a destination that is added to
  friend bool operator==(const OperandAccess&, const OperandAccess&) = default;
};

// The access of one tile or [P,1] column of an instruction that has such a field.
OperandAccess tile_access(FieldKind kind, const Instruction& instruction, const Tile& tile);
OperandAccess column_access(const Instruction& instruction, const Scalar& scalar);

// One side of a transfer. `address`: the global byte address of an HBM side (argument, offset and register
// included); ignored for a side on chip.
OperandAccess source_access(const Descriptor& descriptor, std::uint64_t address);
OperandAccess destination_access(const Descriptor& descriptor, std::uint64_t address);

// f(const OperandAccess&) for every operand in SBUF or PSUM, in the order of the row's fields. dma_copy has
// none: its sides stand in its descriptor.
template <class F>
void for_each_access(const Instruction& instruction, F&& f) {
  for (const Field& field : row_of(instruction.op).fields) {
    const Slot& slot = traits_of(field.kind).slot;
    if (const auto* tile = std::get_if<Member<Tile>>(&slot))
      f(tile_access(field.kind, instruction, instruction.**tile));
    else if (const auto* scalar = std::get_if<Member<Scalar>>(&slot);
             scalar && (instruction.**scalar).is_tile)
      f(column_access(instruction, instruction.**scalar));
  }
}

}  // namespace tahoma::isa
