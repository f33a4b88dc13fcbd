// SPDX-License-Identifier: Apache-2.0
// What each kind of field is: the slot of Instruction that it fills, its type (and with it its text form),
// its width in the word and a sentence for the reference. Codec, assembler, disassembler, validator and
// reference loop over these.
#pragma once

#include <string_view>
#include <variant>

#include "isa/table.h"

namespace tahoma::isa {

enum class ValueType : std::uint8_t {
  kShape,
  kTile,
  kScalar,
  kAluOp,
  kActFn,
  kCompareOp,
  kFlag,
  kNumber,
  kPattern,
  kInteger,
  kFloat,
  kRegister,
  kArgument,
  kTarget,
  kDescriptor
};

template <class T>
using Member = T Instruction::*;
using Slot =
    std::variant<Member<Shape>, Member<Tile>, Member<Scalar>, Member<AluOp>, Member<ActFn>, Member<CompareOp>,
                 Member<bool>, Member<std::uint8_t>, Member<std::array<std::int16_t, kFreeDims>>,
                 Member<std::int32_t>, Member<float>, Member<std::uint32_t>>;

struct FieldTraits {
  FieldKind kind;
  ValueType type;
  unsigned bits;  // in the instruction word
  Slot slot;
  std::string_view doc;
};

namespace traits {

using I = Instruction;
using T = ValueType;
using enum FieldKind;

// Widths. A tile: space 1, dtype 4, partition 7, offset 18, four strides of 16. A scalar: which it is 1,
// space 1, and an fp32 constant or partition 7 and offset 18.
inline constexpr unsigned kShapeBits = 8 + 4 * 16, kTileBits = 1 + 4 + 7 + 18 + 4 * 16,
                          kScalarBits = 1 + 1 + 32;

constexpr FieldTraits tile(FieldKind kind, Member<Tile> slot, std::string_view doc) {
  return {kind, T::kTile, kTileBits, slot, doc};
}

// In the order of FieldKind.
inline constexpr FieldTraits kTraits[] = {
    {kShape, T::kShape, kShapeBits, &I::shape, "partitions x free counts, outermost dimension first"},
    {kColumns, T::kNumber, 8, &I::columns, "columns of the loaded weights = partitions of dst"},
    tile(kDst, &I::dst, "destination, as the shape"),
    tile(kReducedDst, &I::dst, "destination; reduced dimensions have one element"),
    tile(kMatrixDst, &I::dst, "destination, columns x free counts, inside one PSUM bank"),
    tile(kTransposeDst, &I::dst,
         "destination, columns x free counts, inside one PSUM bank; dtype of src or fp32"),
    tile(kSrc0, &I::src0, "source, as the shape"),
    tile(kStationary, &I::src0,
         "stationary operand: partitions are rows, free elements are columns of the array"),
    tile(kMoving, &I::src0,
         "moving operand: partitions are rows of the array; fp32 with fp32 weights, else 16-bit"),
    tile(kSrc1, &I::src1, "second source, as the shape"),
    tile(kReduceResult, &I::src1, "[P,1] column that receives the sum"),
    {kScalar0, T::kScalar, kScalarBits, &I::scalar0, "constant or [P,1] fp32 column"},
    {kScalar1, T::kScalar, kScalarBits, &I::scalar1, "constant or [P,1] fp32 column"},
    {kOp0, T::kAluOp, 4, &I::op0, "ALU operation"},
    {kOp1, T::kAluOp, 4, &I::op1, "second ALU operation; bypass does nothing"},
    {kReduceOp, T::kAluOp, 4, &I::op0, "ALU operation of the reduction"},
    {kFunc, T::kActFn, 5, &I::func, "activation function"},
    {kCompare, T::kCompareOp, 3, &I::compare, "comparison"},
    {kAccumulate, T::kFlag, 1, &I::accumulate, "adds to dst instead of overwriting"},
    {kReverse0, T::kFlag, 1, &I::reverse0, "scalar0 is the left operand of op0"},
    {kReverse1, T::kFlag, 1, &I::reverse1, "scalar1 is the left operand of op1"},
    {kAxes, T::kNumber, 3, &I::axes, "number of innermost free dimensions reduced, 1..4"},
    {kPattern, T::kPattern, 64, &I::pattern, "coefficient per free dimension"},
    {kBase, T::kInteger, 32, &I::base, "value at index 0"},
    {kChannelMultiplier, T::kInteger, 32, &I::channel_multiplier, "coefficient of the partition"},
    {kValue, T::kFloat, 32, &I::value, "fp32 constant"},
    {kRegD, T::kRegister, 8, &I::reg_d, "register written"},
    {kRegA, T::kRegister, 8, &I::reg_a, "register read"},
    {kRegB, T::kRegister, 8, &I::reg_b, "register read instead of imm"},
    {kImm, T::kInteger, 32, &I::imm, "signed 32-bit immediate"},
    {kTarget, T::kTarget, 32, &I::target, "label in the same stream; one past the end ends the stream"},
    {kDescriptor, T::kDescriptor, 32, &I::descriptor, "number of a descriptor, or its parts in place"},
    {kRing, T::kNumber, 8, &I::ring, "ring on each DMA engine, 0..15"},
    {kSrcReg, T::kRegister, 8, &I::src_reg, "register with a byte offset added to an HBM source"},
    {kDstReg, T::kRegister, 8, &I::dst_reg, "register with a byte offset added to an HBM destination"},
    {kNotify, T::kArgument, 8, &I::notify_arg,
     "argument with the core whose semaphore is updated; default this core"},
};

constexpr bool traits_stand_in_order() {
  for (std::size_t i = 0; i < std::size(kTraits); ++i)
    if (static_cast<std::size_t>(kTraits[i].kind) != i) return false;
  return std::size(kTraits) == static_cast<std::size_t>(FieldKind::kCount);
}
static_assert(traits_stand_in_order(), "every kind of field has one row, at its own index");

}  // namespace traits

constexpr const FieldTraits& traits_of(FieldKind kind) {
  return traits::kTraits[static_cast<std::size_t>(kind)];
}

inline constexpr unsigned kWordBits = 512;
inline constexpr unsigned kHeaderBits =
    80;  // opcode, kinds, wait semaphore and value, update semaphore and value

// Header and fields of a row, at most kWordBits.
constexpr unsigned word_bits(const OpRow& row) {
  unsigned bits = kHeaderBits;
  for (const Field& field : row.fields) bits += traits_of(field.kind).bits;
  return bits;
}

const Field* find_field(const OpRow& row, FieldKind kind);  // null if the row has none

// Strides that text may leave out: innermost 1, a dimension of count 1 has 0, the others the product of the
// counts inside them. `fits` is false when such a stride is beyond its bits; it must then be written.
template <class Stride>
struct DefaultStrides {
  std::array<Stride, kFreeDims> stride{};
  bool fits = true;
};
DefaultStrides<std::int16_t> default_strides(FieldKind kind, const Instruction& instruction);
// Of one side of a transfer; on chip dimension 0 walks partitions and has 0.
DefaultStrides<std::int32_t> default_strides(const DmaSide& side, const Descriptor& descriptor);

}  // namespace tahoma::isa
