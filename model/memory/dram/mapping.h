// SPDX-License-Identifier: Apache-2.0
// From an offset in a stack to a place in its DRAM, by an expression of bit slices with XOR hashing:
//
//   row sid bank group channel pseudo column[4:2] ; channel ^= row[3:0] ; column[0] ^= row[5]
//
// First the slices, from the highest address bit to the lowest above an access: a field, some bits of it
// `field[high:low]`, or one, `field[bit]`. Every bit of every field of more than one value stands there once.
// Fields: row, sid, bank, group, channel, pseudo, column. Then any number of XORs, in order: the bits on the
// left take the XOR of themselves and as many on the right. Rows whose count is no power of two must have
// their two highest bits on top of the address, and these are never a target.
//
// The map is linear over bits, so a place is looked up by bytes of the address.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/memory/dram/organisation.h"

namespace tahoma::model::dram {

class AddressMapping {
 public:
  // Throws base::UserError at `where`: E-CFG-05x, see README.
  AddressMapping(const std::string& expression, const Organisation& organisation, const std::string& where);

  Place place(std::uint64_t offset) const;   // offset in bytes, below the capacity
  std::uint64_t offset(const Place& place) const;  // the inverse: of the place's first byte

  // The largest power of two such that all bytes of an aligned block of that size lie in one row, in
  // consecutive columns or not.
  std::uint64_t block() const { return block_; }

 private:
  std::uint64_t block_ = 0;
};

}  // namespace tahoma::model::dram
