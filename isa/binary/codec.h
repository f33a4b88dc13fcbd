// SPDX-License-Identifier: Apache-2.0
// 64-byte instruction words and 64-byte descriptor records, little endian, lowest bit first. A word is a
// common header (opcode 8 bits, wait kind 2, update kind 2, update on read 1, high bits 2, 1 unused, wait
// semaphore 8, wait value 32, update semaphore 8, update value 16) and then the fields of the opcode's row in
// order, each with the width that isa/table/table_fields.h gives. The two highest bits of partitions and of
// numbers of columns, which only arrays and memories beyond 128 need, are elsewhere, so that other words are
// as before: those of the shape's partitions in the header, those of a scalar and of a side on chip in their
// own unused bits, and those of tiles, columns and numbers of columns behind all fields, in the order of
// these. Bits that no field owns must be zero, so
// encode(decode(w)) == w for every word that decodes, and decode(encode(x)) == x for every instruction whose
// unused slots hold their defaults (validate() requires this).
//
// All errors are ProgramErrors without a location (program.h adds it): E-BIN-007 unknown opcode, E-BIN-008 a
// bit pattern that matches no enumerator, E-BIN-009 unused bits that are set, E-BIN-010 a value that does
// not fit its bits.
#pragma once

#include <array>
#include <cstddef>

#include "isa/core/program.h"

namespace tahoma::isa {

using Word = std::array<std::byte, 64>;

Word encode(const Instruction& instruction);
Instruction decode(const Word& word);

// Layout of a descriptor: four counts of 32 bits, accumulate 1, then for each side (dst, src) space 2, dtype
// 4, partition 7, dimension across partitions 2, argument 8, offset 40 (on chip 38, then the high bits of the
// partition) and four strides of 32 bits.
Word encode(const Descriptor& descriptor);
Descriptor decode_descriptor(const Word& word);

}  // namespace tahoma::isa
