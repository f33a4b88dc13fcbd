// SPDX-License-Identifier: Apache-2.0
// From an offset in a stack to a place in its DRAM, by an expression of bit slices with XOR hashing:
//
//   row sid bank group channel pseudo column[4:2] column[1:0]; channel ^= row[0+]; column[0] ^= row[5]
//
// First the slices, from the highest address bit to the lowest above an access: a field, some bits of it
// `field[high:low]`, or one, `field[bit]`. Every bit of every field stands there once; a field of a single
// value has none. Fields: row, sid, bank, group, channel, pseudo, column. Then any number of XORs, in order:
// the bits on the left take the XOR of themselves and as many on the right, all at once. `field[low+]` on
// either side is what the field has from bit `low` up, for as many bits as the other side has: so one
// expression serves stacks of many sizes. Row bits that do not count through all their values, because the
// rows are no power of two, must be the highest of the address, and are never a target.
//
// The map is linear over bits, so that a place is the XOR of what each byte of the address brings along.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/memory/dram/organisation.h"

namespace tahoma::model::dram {

class AddressMapping {
 public:
  // Throws base::UserError at `where`: E-CFG-030 to E-CFG-036, model/base/error_codes.md.
  AddressMapping(const std::string& expression, const Organisation& organisation, const std::string& where);

  DramAddress place(std::uint64_t offset) const {  // offset in bytes, below the capacity
    const std::uint64_t word = forward_.of(offset >> access_bits_);
    return {channel_.in(word), pseudo_.in(word), bank_.in(word), row_.in(word), column_.in(word)};
  }
  std::uint64_t offset(const DramAddress& place) const {  // the inverse: of the place's first byte
    return inverse_.of(channel_.at(place.channel) | pseudo_.at(place.pseudo) | bank_.at(place.bank) |
                       row_.at(place.row) | column_.at(place.column))
           << access_bits_;
  }

  // The largest power of two such that all bytes of an aligned block of that size lie in one row, in
  // consecutive columns or not.
  std::uint64_t block() const { return block_; }

 private:
  struct BitField {
    unsigned low = 0, width = 0;
    std::uint32_t in(std::uint64_t word) const {
      return static_cast<std::uint32_t>((word >> low) & ((std::uint64_t{1} << width) - 1));
    }
    std::uint64_t at(std::uint32_t value) const { return std::uint64_t{value} << low; }
  };

  // A linear map of words, by bytes of its argument.
  class Table {
   public:
    // What each bit of the argument brings along, from the lowest.
    explicit Table(const std::vector<std::uint64_t>& images);
    std::uint64_t of(std::uint64_t word) const {
      std::uint64_t sum = 0;
      for (const auto& byte : bytes_) {
        sum ^= byte[word & 0xff];
        word >>= 8;
      }
      return sum;
    }

   private:
    std::vector<std::array<std::uint64_t, 256>> bytes_;
  };

  unsigned access_bits_;
  BitField channel_, pseudo_, bank_, row_, column_;  // of a packed place
  Table forward_{{}}, inverse_{{}};
  std::uint64_t block_ = 0;
};

}  // namespace tahoma::model::dram
