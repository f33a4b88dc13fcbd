// SPDX-License-Identifier: Apache-2.0
// The address mapping from an offset in a stack to a DRAM address, as an expression of bit slices with XOR
// hashing:
//
//   row sid bank group channel pseudo column[4:2] column[1:0]; channel ^= row[0+]; column[0] ^= row[5]
//
// First the slices, from the highest address bit down to the lowest above an access: a field, some of its
// bits `field[high:low]`, or one bit `field[bit]`. Every bit of every field occurs once; a field of a single
// value has none. The fields are row, sid, bank, group, channel, pseudo and column. Then any number of XORs,
// in order: the bits on the left take the XOR of themselves and as many bits on the right, all at once.
// `field[low+]` on either side is the field from bit `low` up, with as many bits as the other side has, so
// one expression serves stacks of many sizes. If the number of rows is not a power of two, the row bits that
// do not count through all their values must be the highest of the address and are never a target.
//
// The map is linear over bits: an address is the XOR of the contributions of each of its bytes.
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
  std::uint64_t offset(const DramAddress& place) const {  // the inverse: the first byte of `place`
    return inverse_.of(channel_.at(place.channel) | pseudo_.at(place.pseudo) | bank_.at(place.bank) |
                       row_.at(place.row) | column_.at(place.column))
           << access_bits_;
  }

  // The largest power of two such that all bytes of an aligned block of that size are in one row, in
  // consecutive columns or not.
  std::uint64_t block() const { return std::uint64_t{1} << block_bits_; }
  unsigned block_bits() const { return block_bits_; }
  unsigned access_bits() const { return access_bits_; }  // of the bytes of an access

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
    // `images` has the contribution of each bit of the argument, from the lowest.
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

  unsigned access_bits_, block_bits_ = 0;
  BitField channel_, pseudo_, bank_, row_, column_;  // of a packed address
  Table forward_{{}}, inverse_{{}};
};

}  // namespace tahoma::model::dram
