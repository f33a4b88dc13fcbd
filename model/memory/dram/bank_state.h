// SPDX-License-Identifier: Apache-2.0
// The state of one bank, in one cache line. A machine has a quarter of a million banks, and the memory that a
// decision touches determines the speed of the simulation.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "model/memory/dram/timing.h"

namespace tahoma::model::dram {

enum Direction : std::uint8_t { kReading, kWriting };
inline constexpr std::array kDirections{kReading, kWriting};

constexpr Tick rcd_of(const Timing& t, Direction d) { return d == kReading ? t.rcd_read : t.rcd_write; }

using QueueIndex = std::uint16_t;  // of a queued segment
inline constexpr QueueIndex kNoSegment = 0xffff;
inline constexpr std::uint32_t kNoRow = ~0U;

// Segments of one direction, in order of age.
struct BankList {
  QueueIndex oldest = kNoSegment, youngest = kNoSegment;
  QueueIndex hit = kNoSegment;  // oldest segment that needs the open row
  std::uint16_t hits = 0;
};

struct alignas(64) BankState {
  // The earliest next commands to the bank, considering only its own history (rules.h).
  Tick activate = 0, precharge = 0;
  std::array<Tick, 2> column{};
  Tick last_column = 0;  // time of the last column command or, without one, of the activate
  // bank_queues.h
  std::uint32_t row = kNoRow;
  std::array<BankList, 2> lists;
};
static_assert(sizeof(BankState) == 64);
using Banks = std::array<BankState, kMostBanks>;  // of a pseudo-channel, which uses only as many as it has

// Masks have one bit per bank.
constexpr std::uint32_t first_of(std::uint64_t mask) {
  return static_cast<std::uint32_t>(std::countr_zero(mask));
}
constexpr std::uint64_t bit(std::uint32_t bank) { return std::uint64_t{1} << bank; }

// Prefetches the memory range [from, to).
inline void fetch(const void* from, const void* to) {
  for (const auto* at = static_cast<const char*>(from); at < to; at += 64) __builtin_prefetch(at);
}

}  // namespace tahoma::model::dram
