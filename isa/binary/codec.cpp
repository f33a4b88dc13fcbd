// SPDX-License-Identifier: Apache-2.0
#include "isa/binary/codec.h"

#include <algorithm>

#include "isa/binary/codec_bits.h"
#include "isa/table/table_fields.h"

namespace tahoma::isa {
namespace {

// The parts of a number whose highest kHighBits are elsewhere in the word.
template <class Bits>
void pack_low(Bits& bits, std::uint16_t& number, unsigned width) {
  const std::uint16_t mask = static_cast<std::uint16_t>((1U << width) - 1);
  std::uint16_t low = number & mask;
  bits.number(low, width);
  bits.set(number, static_cast<std::uint16_t>((number & ~mask) | low));
}
template <class Bits>
void pack_high(Bits& bits, std::uint16_t& number, unsigned width) {
  auto high = static_cast<std::uint16_t>(number >> width);
  bits.number(high, traits::kHighBits);
  bits.set(number, static_cast<std::uint16_t>(number | high << width));
}
constexpr unsigned kPartitionBits = 7, kPartitionsBits = 8;

// Each pack() defines one type's layout for both the writer and the reader. The writer only reads the value.
template <class Bits>
void pack(Bits& bits, Shape& shape, unsigned) {
  pack_low(bits, shape.partitions, kPartitionsBits);
  for (auto& count : shape.count) bits.number(count, 16);
}

template <class Bits>
void pack(Bits& bits, Tile& tile, unsigned) {
  bits.enumerator(tile.space, 1);
  bits.enumerator(tile.dtype, 4);
  pack_low(bits, tile.partition, kPartitionBits);
  bits.number(tile.offset, 18);
  for (auto& stride : tile.stride) bits.number(stride, 16);
}

template <class Bits>
void pack(Bits& bits, Scalar& scalar, unsigned) {
  bits.flag(scalar.is_tile);
  if (!scalar.is_tile) {
    bits.unused(1);
    bits.real(scalar.imm);
    return;
  }
  bits.enumerator(scalar.space, 1);
  pack_low(bits, scalar.partition, kPartitionBits);
  bits.number(scalar.offset, 18);
  pack_high(bits, scalar.partition, kPartitionBits);
  bits.unused(5);
}

template <class Bits>
void pack(Bits& bits, Column& column, unsigned) {
  bits.flag(column.present);
  if (!column.present) {
    bits.unused(1 + 4 + 7 + 18);
    return;
  }
  bits.enumerator(column.space, 1);
  bits.enumerator(column.dtype, 4);
  pack_low(bits, column.partition, kPartitionBits);
  bits.number(column.offset, 18);
}

// Eight entries with 33 possible values each fit in 41 bits.
template <class Bits>
void pack(Bits& bits, std::array<std::uint8_t, kQuadrant>& mask, unsigned) {
  constexpr std::size_t kDigits = 8;
  constexpr std::uint64_t kBase = kQuadrant + 1, kMost = 1406408618241;  // 33^8
  for (std::size_t first = 0; first < mask.size(); first += kDigits) {
    std::uint64_t group = 0;
    for (std::size_t d = kDigits; d-- > 0;) {
      const std::uint8_t digit = mask[first + d] == kKeep ? kQuadrant : mask[first + d];
      bits.fits(mask[first + d], mask[first + d] == kKeep || digit < kQuadrant);
      group = group * kBase + digit;
    }
    bits.number(group, 41);
    bits.below(group, kMost);
    for (std::size_t d = 0; d < kDigits; ++d, group /= kBase) {
      const auto digit = static_cast<std::uint8_t>(group % kBase);
      bits.set(mask[first + d], digit == kQuadrant ? kKeep : digit);
    }
  }
}

// An HBM offset keeps its sign and its highest bits in the field where an on-chip side keeps its partition.
template <class Bits>
void pack_in_hbm(Bits& bits, DmaSide& side) {
  constexpr unsigned kLow = 40, kHigh = 9;
  constexpr std::uint64_t kLowMask = (std::uint64_t{1} << kLow) - 1;
  bits.fits(side.partition, side.partition == 0);
  bits.fits(side.across, side.across == 0);
  bits.fits(side.offset, reaches(side.offset));
  std::uint64_t high = (side.offset >> kLow) & ((1U << kHigh) - 1), low = side.offset & kLowMask;
  bits.number(high, kHigh);
  bits.number(side.arg, 8);
  bits.number(low, kLow);
  bits.set(side.offset, ((high << kLow | low) ^ kReach) - kReach);
}

template <class Bits>
void pack_on_chip(Bits& bits, DmaSide& side) {
  pack_low(bits, side.partition, kPartitionBits);
  bits.number(side.across, 2);
  bits.number(side.arg, 8);
  bits.number(side.offset, 38);
  pack_high(bits, side.partition, kPartitionBits);
}

template <class Bits>
void pack(Bits& bits, DmaSide& side, unsigned = 0) {
  bits.enumerator(side.space, 2);
  bits.enumerator(side.dtype, 4);
  if (side.space == Space::kHbm)
    pack_in_hbm(bits, side);
  else
    pack_on_chip(bits, side);
  for (auto& stride : side.stride) bits.number(stride, 32);
}

// Packs 24 unused bits for an update without a kind, otherwise the semaphore and its change.
template <class Bits>
void pack_change(Bits& bits, Update& update) {
  if (update.kind == Update::Kind::kNone) return bits.unused(24);
  bits.number(update.semaphore, 8);
  bits.number(update.value, 16);
}

template <class Bits>
void pack(Bits& bits, Update& update, unsigned) {
  bits.kind(update.kind, 2);
  bits.fits(update.on_read, !update.on_read);
  pack_change(bits, update);
}

template <class Bits, class Enum>
requires std::is_enum_v<Enum>
void pack(Bits& bits, Enum& value, unsigned width) { bits.enumerator(value, width); }

template <class Bits>
void pack(Bits& bits, bool& value, unsigned) {
  bits.flag(value);
}

template <class Bits>
void pack(Bits& bits, float& value, unsigned) {
  bits.real(value);
}

template <class Bits>
void pack(Bits& bits, std::array<std::int16_t, kFreeDims>& pattern, unsigned) {
  for (auto& coefficient : pattern) bits.number(coefficient, 16);
}

template <class Bits>
void pack(Bits& bits, std::uint16_t& columns, unsigned width) {
  pack_low(bits, columns, width);
}

template <class Bits, class Integer>
requires std::is_integral_v<Integer>
void pack(Bits& bits, Integer& value, unsigned width) { bits.number(value, width); }

// The high bits behind all fields; see high_bits().
template <class Bits>
void pack_behind(Bits& bits, Tile& tile, unsigned) {
  pack_high(bits, tile.partition, kPartitionBits);
}
template <class Bits>
void pack_behind(Bits& bits, Column& column, unsigned) {
  if (!column.present) return bits.unused(traits::kHighBits);
  pack_high(bits, column.partition, kPartitionBits);
}
template <class Bits>
void pack_behind(Bits& bits, std::uint16_t& columns, unsigned width) {
  pack_high(bits, columns, width);
}
template <class Bits, class Other>
void pack_behind(Bits&, const Other&, unsigned) {}

template <class Bits>
void pack(Bits& bits, Descriptor& descriptor) {
  for (auto& count : descriptor.count) bits.number(count, 32);
  bits.flag(descriptor.accumulate);
  pack(bits, descriptor.dst);
  pack(bits, descriptor.src);
  bits.rest_unused();
}

// The high bits of the shape's partitions, whose field adds the others.
template <class Bits>
void pack_high_partitions(Bits& bits, Instruction& i) {
  if (find_field(row_of(i.op), FieldKind::kShape) == nullptr) return bits.unused(traits::kHighBits);
  bits.set(i.shape.partitions, std::uint16_t{0});
  pack_high(bits, i.shape.partitions, kPartitionsBits);
}

template <class Bits>
void pack_header(Bits& bits, Instruction& i) {
  bits.kind(i.wait.kind, 2);
  bits.kind(i.update.kind, 2);
  bits.flag(i.update.on_read);
  pack_high_partitions(bits, i);
  bits.unused(1);
  if (i.wait.kind == Wait::Kind::kNone) {
    bits.unused(40);
  } else {
    bits.number(i.wait.semaphore, 8);
    bits.number(i.wait.value, 32);
  }
  pack_change(bits, i.update);
}

template <class Bits>
void pack_fields(Bits& bits, Instruction& i) {
  for (const Field& field : row_of(i.op).fields) {
    const FieldTraits& traits = traits_of(field.kind);
    std::visit([&](auto slot) { pack(bits, i.*slot, traits.bits); }, traits.slot);
  }
  for (const Field& field : row_of(i.op).fields) {
    const FieldTraits& traits = traits_of(field.kind);
    std::visit([&](auto slot) { pack_behind(bits, i.*slot, traits.bits); }, traits.slot);
  }
  bits.rest_unused();
}

[[noreturn]] void fail_opcode(unsigned opcode) {
  throw ProgramError(
      "E-BIN-007", "",
      "unknown opcode " + std::to_string(opcode) + "; expected 0.." + std::to_string(kOpcodeCount - 1));
}

}  // namespace

Word encode(const Instruction& instruction) {
  if (instruction.op >= Opcode::kCount) fail_opcode(static_cast<unsigned>(instruction.op));
  Instruction copy = instruction;
  BitWriter bits;
  bits.kind(copy.op, 8);
  pack_header(bits, copy);
  pack_fields(bits, copy);
  return bits.word();
}

Instruction decode(const Word& word) {
  Instruction i;
  BitReader bits(word);
  bits.kind(i.op, 8);
  if (i.op >= Opcode::kCount) fail_opcode(static_cast<unsigned>(i.op));
  pack_header(bits, i);
  pack_fields(bits, i);
  return i;
}

Word encode(const Descriptor& descriptor) {
  Descriptor copy = descriptor;
  BitWriter bits;
  pack(bits, copy);
  return bits.word();
}

Descriptor decode_descriptor(const Word& word) {
  Descriptor descriptor;
  BitReader bits(word);
  pack(bits, descriptor);
  return descriptor;
}

}  // namespace tahoma::isa
