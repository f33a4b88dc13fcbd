// SPDX-License-Identifier: Apache-2.0
#include "model/sim/checksum.h"

#define XXH_INLINE_ALL  // a third faster than the shared library, and no run-time dependency
#include <xxhash.h>

#include <array>
#include <vector>

#include "model/sim/backdoor.h"
#include "model/sim/packet.h"

namespace tahoma::sim {

using Piece = std::span<const std::byte>;

namespace {

std::uint64_t checksum_of_rows(std::uint64_t address, const RowPattern& rows) {
  std::uint64_t sum = address;
  const auto mix = [&](const std::array<std::uint64_t, 2>& words) {
    sum = XXH3_64bits_withSeed(words.data(), sizeof words, sum);
  };
  mix({rows.row_bytes(), rows.rows()});
  rows.each_steps([&](const RowPattern::Steps& s) { mix({s.rows, static_cast<std::uint64_t>(s.stride)}); });
  return sum;
}

}  // namespace

std::uint64_t checksum_of(std::uint64_t address, std::span<const Piece> pieces) {
  if (pieces.size() == 1) return XXH3_64bits_withSeed(pieces[0].data(), pieces[0].size(), address);
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_64bits_reset_withSeed(&state, address);
  for (const Piece piece : pieces) XXH3_64bits_update(&state, piece.data(), piece.size());
  return XXH3_64bits_digest(&state);
}

Checksum checksum_at(BackdoorIf& memory, std::uint64_t address, const RowPattern& rows) {
  std::vector<Piece> pieces;
  pieces.reserve(rows.rows());
  rows.each_row([&](std::int64_t offset) {
    pieces.emplace_back(memory.at(address + static_cast<std::uint64_t>(offset), rows.row_bytes()),
                        rows.row_bytes());
  });
  return {checksum_of(address, pieces), checksum_of_rows(address, rows)};
}

}  // namespace tahoma::sim
