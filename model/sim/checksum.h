// SPDX-License-Identifier: Apache-2.0
// A packet's checksums, with which its receiver verifies that the data are those that were sent. They exist
// in functional mode only; timing mode has no data.
//
// The hash is XXH3, 64 bits. The data checksum covers every byte in the order of the packet, seeded with the
// address of the first, so equal data at another address do not pass. The row checksum covers the address and
// the pattern, which distinguishes a damaged packet (a defect of Tahoma) from overwritten memory (possibly a
// defect of the program). Two packets whose data differ have the same checksum with a probability of 2^-64.
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

// Hashes data that begin at `address`, piece by piece; the result does not depend on how they are
// divided into pieces.
std::uint64_t checksum_of(std::uint64_t address, std::span<const std::span<const std::byte>> pieces);

// Hashes the memory contents at the addresses that a packet specifies. Throws isa::ProgramError E-RUN-042 as
// BackdoorIf::at() does.
Checksum checksum_at(BackdoorIf& memory, std::uint64_t address, const RowPattern& rows);

}  // namespace tahoma::sim
