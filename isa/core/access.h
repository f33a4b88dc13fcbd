// SPDX-License-Identifier: Apache-2.0
// Which bytes an instruction reads and writes: one access per operand, from the fields of its row. Both what
// the hardware would do and what a checker of programs has to know; no values, no time.
//
// Leaves out the weights inside the array and the sequencer's registers: they belong to one engine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "isa/table/table_fields.h"

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

// One side of a transfer. `address`: the global byte address of an HBM side (argument, offset and register
// included); ignored for a side on chip.
OperandAccess source_access(const Descriptor& descriptor, std::uint64_t address);
OperandAccess destination_access(const Descriptor& descriptor, std::uint64_t address);
// One element that a register is loaded from or stored to.
OperandAccess word_access(const DmaSide& word, std::uint64_t address, bool writes);
// The column of row numbers of an indirect transfer of `rows` rows.
OperandAccess row_number_access(const Column& column, std::uint64_t rows);

// Operands of one instruction; most are one per field, few fall into pieces.
inline constexpr std::size_t kMostAccesses = 24;
class AccessList {
 public:
  void add(const OperandAccess& access) { list_.at(count_++) = access; }
  std::span<const OperandAccess> all() const& { return {list_.data(), count_}; }
  std::span<const OperandAccess> all() const&& = delete;  // a loop over a list that is gone

 private:
  std::array<OperandAccess, kMostAccesses> list_;
  std::size_t count_ = 0;
};

// Every operand in SBUF or PSUM, in the order of the row's fields, registers not added. Transfers have none
// here: their sides stand in descriptors. Exact but for three: a shuffle's destination counts as written also
// where the mask keeps it, a predicated copy's where nothing is copied, and the source of a gather is read
// as a whole.
AccessList accesses_of(const Instruction& instruction);

}  // namespace tahoma::isa
