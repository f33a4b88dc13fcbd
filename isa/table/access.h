// SPDX-License-Identifier: Apache-2.0
// Computes which bytes an instruction reads and writes: one access per operand, derived from the fields of
// the instruction's table row. The program checker and the timing model both use it. It knows neither
// values nor time.
//
// Weights inside the array and the sequencer's registers are not covered, because each belongs to a
// single engine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/table/table_fields.h"

namespace tahoma::isa {

// Element (p, i0..i3) is at byte offset + sum(i_d * stride[d]) of partition `partition + p`. HBM has a single
// partition, number 0, and the offset is a global address.
struct Pattern {
  Space space = Space::kSbuf;
  std::uint16_t partition = 0, partitions = 1;
  std::uint64_t offset = 0;
  std::uint32_t element = 1;  // bytes
  std::array<std::uint32_t, kFreeDims> count{1, 1, 1, 1};
  std::array<std::int64_t, kFreeDims> stride{};  // bytes; 0 and negative strides as in Tile
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

struct OperandAccess {
  Pattern pattern;
  bool reads = false, writes = false;  // both are set for a destination that is accumulated into
  friend bool operator==(const OperandAccess&, const OperandAccess&) = default;
};

// Access of one side of a transfer. `address` is the global byte address of an HBM side (argument, offset and
// register included); it is ignored for an on-chip side.
OperandAccess source_access(const Descriptor& descriptor, std::uint64_t address);
OperandAccess destination_access(const Descriptor& descriptor, std::uint64_t address);
// Access of the single element that a register is loaded from or stored to.
OperandAccess word_access(const DmaSide& word, std::uint64_t address, bool writes);
// Access of the column that holds the row numbers of an indirect transfer of `rows` rows.
OperandAccess row_number_access(const Column& column, std::uint64_t rows);

// Most fields give one access; a few are split into several, for every 16 or 32 partitions.
class AccessList {
 public:
  void add(const OperandAccess& access) {
    if (count_ < few_.size()) {
      few_[count_++] = access;
      return;
    }
    if (many_.empty()) many_.assign(few_.begin(), few_.end());
    many_.push_back(access);
  }
  std::span<const OperandAccess> all() const& {
    return many_.empty() ? std::span<const OperandAccess>{few_.data(), count_} : std::span{many_};
  }
  // deleted: the range of a loop over a temporary list would dangle
  std::span<const OperandAccess> all() const&& = delete;

 private:
  std::array<OperandAccess, 24> few_;  // without an allocation: what 128 partitions need
  std::size_t count_ = 0;
  std::vector<OperandAccess> many_;  // all of them, if there are more
};

// Returns every SBUF and PSUM operand in the order of the row's fields, without registers added. Transfers
// have none here, because descriptors describe their sides. The result is exact with three exceptions: a
// shuffle's destination counts as written even where the mask keeps it, a predicated copy's destination
// counts as written even where nothing is copied, and the source of a gather is read as a whole.
AccessList accesses_of(const Instruction& instruction);

}  // namespace tahoma::isa
