// SPDX-License-Identifier: Apache-2.0
// What a packet says of its data, so that the end of its way can tell that they are those which set out.
// Functional mode: timing mode has no data and hashes nothing.
//
// XXH3, 64 bits. Of the data: every byte in the order of the packet, seeded with the address of the first,
// so that equal data in another place do not pass. Of the rows: the address and the pattern themselves, so
// that a packet that was damaged, which only we can do, is told from memory that was overwritten, which a
// program can. Two packets whose data differ have the same checksum with a probability of 2^-64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tahoma::sim {

struct BackdoorIf;
class RowPattern;

struct Checksum {
  std::uint64_t data = 0, rows = 0;
  friend bool operator==(const Checksum&, const Checksum&) = default;
};

// Of data that begin at `address`, piece by piece: the same however they are cut into pieces.
std::uint64_t checksum_of(std::uint64_t address, std::span<const std::span<const std::byte>> pieces);

// Of what lies now where a packet says that its data belong. Throws isa::ProgramError E-RUN-042 as
// BackdoorIf::at() does.
Checksum checksum_at(BackdoorIf& memory, std::uint64_t address, const RowPattern& rows);

}  // namespace tahoma::sim
