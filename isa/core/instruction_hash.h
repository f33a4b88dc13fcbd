// SPDX-License-Identifier: Apache-2.0
// Hashes of the distinguishing fields of a kernel's instructions. Equal instructions have equal hashes,
// except for the sign of a zero. Fields that mostly follow from others are omitted: dtypes, strides,
// operations. No hash library is used, because the fields are not adjacent in memory and `isa` depends on
// none.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/core/instruction.h"
#include "isa/core/mixing.h"

namespace tahoma::isa {

constexpr std::uint64_t combined(std::uint64_t hash, std::uint64_t part) {
  return (hash ^ part) * kMixingStep;
}

// Hashes the operation without its wait and updates.
inline std::uint64_t hash_of_work(const Instruction& i) {
  const auto pair = [](std::uint64_t high, std::uint64_t low) { return high << 32 | low; };
  auto hash = static_cast<std::uint64_t>(i.op);
  for (const std::uint64_t part :
       {pair(i.dst.offset, i.src0.offset), pair(i.src1.offset, i.scalar0.offset),
        pair(i.result.offset, i.descriptor), pair(i.dst.partition, i.src0.partition),
        pair(i.shape.partitions, i.shape.count[kFreeDims - 1]),
        pair(static_cast<std::uint32_t>(i.imm), static_cast<std::uint32_t>(i.base)),
        pair(std::bit_cast<std::uint32_t>(i.value), std::bit_cast<std::uint32_t>(i.scalar0.imm)),
        pair(i.extent, i.valid),
        pair(i.word.offset, std::uint64_t{i.column} << 24 | std::uint64_t{i.columns} << 8 |
                                std::uint64_t{i.accumulate} << 1 | std::uint64_t{i.open})})
    hash = combined(hash, part);
  return hash ^ (hash >> 29);
}

inline std::uint64_t hash_of(const Instruction& i) {
  const std::uint64_t wait = std::uint64_t{i.wait.value} << 32 | i.wait.semaphore,
                      update = std::uint64_t{i.update.value} << 32 | i.update.semaphore;
  const std::uint64_t hash = combined(combined(hash_of_work(i), wait), update);
  return hash ^ (hash >> 29);
}

// Distinguishes instructions of the ranks of a group, too, which often differ in nothing but the cores that
// they notify.
inline std::uint64_t hash_with_peers(const Instruction& i) {
  const std::uint64_t notified = std::uint64_t{static_cast<std::uint16_t>(i.peer)} << 32 |
                                 std::uint64_t{static_cast<std::uint16_t>(i.read_peer)} << 16 |
                                 i.read_update.semaphore;
  const std::uint64_t hash = combined(hash_of(i), notified);
  return hash ^ (hash >> 29);
}

// a == b, faster if one is a copy of the other: hardly any of some hundred bytes in eighty members differ.
inline bool same(const Instruction& a, const Instruction& b) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): unequal padding only costs the comparison below
  return std::memcmp(&a, &b, sizeof(Instruction)) == 0 || a == b;
}

// As same(), but zeros of different signs differ, so that one may stand for the other.
inline bool identical(const Instruction& a, const Instruction& b) {
  const auto bits = [](const Instruction& i) {
    return std::array{std::bit_cast<std::uint32_t>(i.scalar0.imm),
                      std::bit_cast<std::uint32_t>(i.scalar1.imm), std::bit_cast<std::uint32_t>(i.value)};
  };
  return same(a, b) && bits(a) == bits(b);
}

// The instruction without its wait and updates: equal ones access the same bytes.
inline Instruction untimed(const Instruction& instruction) {
  Instruction i = instruction;
  i.wait = {};
  i.update = i.read_update = {};
  i.notify_arg = kNone;
  i.peer = i.read_peer = 0;
  return i;
}

// untimed(a) == untimed(b), faster if one is a copy of the other except for its wait and updates.
inline bool same_work(const Instruction& a, const Instruction& b) {
  constexpr std::size_t first = offsetof(Instruction, shape), end = offsetof(Instruction, notify_arg);
  static_assert(first == offsetof(Instruction, update) + sizeof(Update) &&
                    sizeof(Instruction) == offsetof(Instruction, read_update) + sizeof(Update),
                "the wait and updates of an instruction are at its beginning and end");
  const auto* bytes_a = reinterpret_cast<const char*>(&a);
  const auto* bytes_b = reinterpret_cast<const char*>(&b);
  return (a.op == b.op && std::memcmp(bytes_a + first, bytes_b + first, end - first) == 0) ||
         untimed(a) == untimed(b);
}

}  // namespace tahoma::isa
