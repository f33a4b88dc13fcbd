// SPDX-License-Identifier: Apache-2.0
// The parts of a stack, and the DRAM address of an access. Plain values.
//
// A stack has channels, each with one command bus for rows and one for columns, which its pseudo-channels
// share. A pseudo-channel has its own data pins and, for every stack ID, bank groups of banks of rows. One
// access is one burst: `access_bytes` of an open row.
#pragma once

#include <cstdint>

namespace tahoma::model::dram {

struct Organisation {
  std::uint32_t channels = 1;
  std::uint32_t pseudo_channels = 1;  // of a channel
  std::uint32_t stack_ids = 1;
  std::uint32_t groups = 1;   // bank groups of a stack ID in a pseudo-channel
  std::uint32_t banks = 1;    // of a bank group
  std::uint32_t rows = 1;     // of a bank; the one count that need not be a power of two
  std::uint32_t columns = 1;  // accesses of a row
  std::uint32_t access_bytes = 32;

  std::uint32_t banks_per_stack_id() const { return groups * banks; }
  // A pseudo-channel has at most kMostBanks banks.
  std::uint32_t all_banks() const { return stack_ids * groups * banks; }
  std::uint64_t capacity() const {
    return std::uint64_t{channels} * pseudo_channels * all_banks() * rows * columns * access_bytes;
  }
};

inline constexpr std::uint32_t kMostBanks = 64;
inline constexpr std::uint32_t kMostPseudoChannels = 4;

// The DRAM address of an access. `bank` counts through its pseudo-channel: (stack ID * groups + group) *
// banks + bank.
struct DramAddress {
  std::uint32_t channel = 0, pseudo = 0, bank = 0, row = 0, column = 0;
  friend bool operator==(const DramAddress&, const DramAddress&) = default;
};

}  // namespace tahoma::model::dram
