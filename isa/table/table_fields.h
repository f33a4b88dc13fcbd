// SPDX-License-Identifier: Apache-2.0
// The properties of each kind of field: the slot of Instruction that it fills, its type (and with it its text
// form), its width in the word and a sentence for the reference. Codec, assembler, disassembler, validator
// and reference are loops over these.
#pragma once

#include <string_view>
#include <variant>

#include "isa/table/table.h"

namespace tahoma::isa {

enum class ValueType : std::uint8_t {
  kShape,
  kTile,
  kScalar,
  kAluOp,
  kActFn,
  kCompareOp,
  kMode,
  kCommand,
  kIndirection,
  kDge,
  kColumn,
  kWord,
  kMask,
  kFlag,
  kNumber,
  kPattern,
  kInteger,
  kFloat,
  kRegister,
  kArgument,
  kTarget,
  kDescriptor,
  kUpdate
};

template <class T>
using Member = T Instruction::*;
using Slot =
    std::variant<Member<Shape>, Member<Tile>, Member<Scalar>, Member<AluOp>, Member<ActFn>, Member<CompareOp>,
                 Member<MatmulMode>, Member<ReduceCommand>, Member<Indirection>, Member<Dge>, Member<Column>,
                 Member<DmaSide>, Member<Update>, Member<bool>, Member<std::uint8_t>, Member<std::uint16_t>,
                 Member<std::int16_t>, Member<std::array<std::int16_t, kFreeDims>>,
                 Member<std::array<std::uint8_t, kQuadrant>>, Member<std::int32_t>, Member<float>,
                 Member<std::uint32_t>>;

// The access to the memory of an operand. A matmul that accumulates also reads its destination.
enum class Role : std::uint8_t { kNone, kRead, kWrite };

struct FieldTraits {
  FieldKind kind;
  ValueType type;
  unsigned bits;  // in the instruction word
  Slot slot;
  std::string_view doc;
  Role role = Role::kNone;
};

namespace traits {

using I = Instruction;
using T = ValueType;
using enum FieldKind;

// Widths. A tile: space 1, dtype 4, partition 7, offset 18, four strides of 16. A scalar: kind 1, space 1,
// and an fp32 constant or partition 7 and offset 18. A column: present 1, space 1, dtype 4, partition 7,
// offset 18. A shuffle's mask: four numbers of 41 bits, each eight digits of base 33. Partitions and columns
// of arrays beyond 128 have kHighBits more elsewhere (isa/binary/codec.h).
inline constexpr unsigned kHighBits = 2;
inline constexpr unsigned kShapeBits = 8 + 4 * 16, kTileBits = 1 + 4 + 7 + 18 + 4 * 16,
                          kScalarBits = 1 + 1 + 32, kColumnBits = 1 + 1 + 4 + 7 + 18,
                          kSideBits = 2 + 4 + 7 + 2 + 8 + 40 + 4 * 32, kMaskBits = 4 * 41,
                          kUpdateBits = 2 + 8 + 16;

constexpr FieldTraits target(FieldKind kind, Member<Tile> slot, std::string_view doc) {
  return {kind, T::kTile, kTileBits, slot, doc, Role::kWrite};
}
constexpr FieldTraits source(FieldKind kind, Member<Tile> slot, std::string_view doc) {
  return {kind, T::kTile, kTileBits, slot, doc, Role::kRead};
}
constexpr FieldTraits scalar(FieldKind kind, Member<Scalar> slot, std::string_view doc) {
  return {kind, T::kScalar, kScalarBits, slot, doc, Role::kRead};
}
constexpr FieldTraits flag(FieldKind kind, Member<bool> slot, std::string_view doc) {
  return {kind, T::kFlag, 1, slot, doc};
}
constexpr FieldTraits byte_register(FieldKind kind, Member<std::uint8_t> slot, std::string_view doc) {
  return {kind, T::kRegister, 8, slot, doc};
}

// The rows follow the order of FieldKind.
inline constexpr FieldTraits kTraits[] = {
    {kShape, T::kShape, kShapeBits, &I::shape, "partitions x free counts, outermost dimension first"},
    {kColumns, T::kNumber, 8, &I::columns, "columns of the loaded weights = partitions of dst"},
    {kColumn, T::kNumber, 8, &I::column, "first column of the array; default 0"},
    {kMode, T::kMode, 4, &I::mode, "use of the array; default dense"},
    target(kDst, &I::dst, "destination"),
    target(kReducedDst, &I::dst, "destination; reduced dimensions have one element"),
    target(kMatrixDst, &I::dst,
           "destination, columns x moving columns, inside one PSUM bank (NeuronCore-v4: in any); its "
           "partition is the "
           "first column of the array"),
    target(
        kTransposeDst, &I::dst,
        "destination, columns x moving columns, inside one PSUM bank; dtype of the weights (uint16 for 8-bit "
        "types), or fp32 for floats; its partition is the first column of the array"),
    target(kTransposedDst, &I::dst, "destination, elements x partitions of the shape"),
    target(kOneRowDst, &I::dst, "destination, one partition"),
    target(kBoundsDst, &I::dst, "destination, 1 x 2 x elements: starts, then ends"),
    target(kCountedDst, &I::dst, "destination, one element more than the shape: the count"),
    target(kGatheredDst, &I::dst, "destination, valid x per_index elements"),
    target(kScatteredDst, &I::dst, "destination of `extent` elements, of which `valid` are written"),
    target(kRankedDst, &I::dst, "destination of the values, ceil(k / 16) elements"),
    target(kRankedIndex, &I::src1, "destination of the indices, ceil(k / 16) elements"),
    source(kSrc0, &I::src0, "source"),
    source(
        kStationary, &I::src0,
        "stationary operand: partitions are rows, free elements are columns of the array; its partition is "
        "the first row"),
    source(kMoving, &I::src0,
           "moving operand: partitions are rows of the array; fp32 or tf32 with such weights, else any"),
    source(kGatherSource, &I::src0, "source of `extent` elements"),
    source(kListedSource, &I::src0, "source of `valid` elements"),
    source(kSrc1, &I::src1, "second source"),
    source(kTags, &I::src1, "positions of the kept weights, four 4-bit tags an element, lowest bits first"),
    source(kScales, &I::src1,
           "scales, one for 8 partitions and 4 elements, in the first 4 partitions of each 32"),
    target(kScalesDst, &I::src1,
           "destination of the scales, one for 8 partitions and 4 elements, in the first 4 partitions of "
           "each 32"),
    {kResult, T::kColumn, kColumnBits, &I::result, "column that receives a result", Role::kWrite},
    {kRowNumbers, T::kColumn, kColumnBits, &I::result, "column of row numbers, one per partition",
     Role::kRead},
    scalar(kScalar0, &I::scalar0, "constant or [P,1] fp32 column"),
    scalar(kScalar1, &I::scalar1, "constant or [P,1] fp32 column"),
    {kOp0, T::kAluOp, 5, &I::op0, "ALU operation"},
    {kOp1, T::kAluOp, 5, &I::op1, "second ALU operation"},
    {kReduceOp, T::kAluOp, 5, &I::op0, "ALU operation of the reduction"},
    {kReduceOp1, T::kAluOp, 5, &I::op1, "ALU operation of the reduction"},
    {kFunc, T::kActFn, 5, &I::func, "activation function"},
    {kCompare, T::kCompareOp, 3, &I::compare, "comparison"},
    {kCompare1, T::kCompareOp, 3, &I::compare1, "second comparison"},
    {kCommand, T::kCommand, 3, &I::command, "effect on the accumulators; default reset_reduce"},
    flag(kAccumulate, &I::accumulate, "adds to dst instead of overwriting"),
    flag(kOpen, &I::open, "more of this accumulation group follows"),
    flag(kReverse0, &I::reverse0, "exchanges the operands of op0, or inverts the predicate"),
    flag(kReverse1, &I::reverse1, "exchanges the operands of op1"),
    flag(kNegate, &I::negate, "negates the result"),
    flag(kSkip, &I::skip, "rows out of bounds are skipped; default: an error"),
    flag(kGpSimdDma, &I::gpsimd_dma, "through GpSimd's own DMA: low latency, few bytes"),
    {kAxes, T::kNumber, 3, &I::axes, "number of innermost free dimensions reduced, 1..4"},
    {kPattern, T::kPattern, 64, &I::pattern, "coefficient per free dimension"},
    {kMask, T::kMask, kMaskBits, &I::mask, "source partition of each of 32, or * to keep"},
    {kBase, T::kInteger, 32, &I::base, "value at index 0"},
    {kChannelMultiplier, T::kInteger, 32, &I::channel_multiplier, "coefficient of the partition"},
    {kValue, T::kFloat, 32, &I::value, "fp32 constant"},
    {kExtent, T::kNumber, 32, &I::extent, "number of elements or rows"},
    {kValid, T::kNumber, 16, &I::valid, "number of results"},
    {kPerIndex, T::kNumber, 6, &I::per_index, "elements per index: 1, 2, 4, 8, 16 or 32; default 1"},
    {kListGroups, T::kNumber, 6, &I::per_index,
     "groups of 16 partitions that share a list, 1 or 2; default 1"},
    byte_register(kRegD, &I::reg_d, "register written"),
    byte_register(kRegA, &I::reg_a, "register read"),
    byte_register(kRegB, &I::reg_b, "register read instead of imm"),
    {kImm, T::kInteger, 32, &I::imm, "signed 32-bit immediate"},
    {kTarget, T::kTarget, 32, &I::target, "label in the same stream; one past the end ends the stream"},
    {kWordSrc, T::kWord, kSideBits, &I::word, "one integer in SBUF or HBM", Role::kRead},
    {kWordDst, T::kWord, kSideBits, &I::word, "one integer in SBUF or HBM", Role::kWrite},
    {kDescriptor, T::kDescriptor, 32, &I::descriptor, "number of a descriptor, or its parts"},
    {kSources, T::kNumber, 5, &I::sources,
     "1..16 sources: this descriptor and those that follow it, all with one destination"},
    {kFold, T::kAluOp, 5, &I::fold, "operation that combines the sources; default add"},
    {kIndirect, T::kIndirection, 2, &I::indirect,
     "gather or scatter: dimension 0 of the HBM side follows the rows of `rows`"},
    {kDge, T::kDge, 2, &I::dge,
     "origin of the descriptors: none (they are in HBM), hw (a generator of queues sync and scalar) or sw "
     "(the GpSimd engine); default none"},
    {kRing, T::kNumber, 8, &I::ring, "ring on each DMA engine, 0..15"},
    {kService, T::kNumber, 2, &I::service,
     "class of service, 0..3: a DMA engine serves the highest class first; default 0; NeuronCore-v4"},
    {kPipe, T::kNumber, 8, &I::pipe, "which rendezvous of the two cores; default 0"},
    byte_register(kSrcReg, &I::src_reg, "register with a byte offset added to the source"),
    byte_register(kDstReg, &I::dst_reg, "register with a byte offset added to the destination"),
    {kNotify, T::kArgument, 8, &I::notify_arg,
     "argument with the core whose semaphore is updated; default this core"},
    {kPeer, T::kInteger, 16, &I::peer, "added to the number of the core that is notified; default 0"},
    {kReadUpdate, T::kUpdate, kUpdateBits, &I::read_update,
     "one more update, once per DMA engine when it has read its share, of the core of `notify`"},
    {kReadPeer, T::kInteger, 16, &I::read_peer, "the same as `peer` for `read_update`; default 0"},
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

// The bits of a field behind all fields of its word: of the partition of a tile or column, or of a number of
// columns of the array.
constexpr unsigned high_bits(const FieldTraits& traits) {
  const bool high = traits.type == ValueType::kTile || traits.type == ValueType::kColumn ||
                    std::holds_alternative<Member<std::uint16_t>>(traits.slot);
  return high ? traits::kHighBits : 0;
}

// Header and fields of a row, at most kWordBits.
constexpr unsigned word_bits(const OpRow& row) {
  unsigned bits = kHeaderBits;
  for (const Field& field : row.fields) bits += traits_of(field.kind).bits + high_bits(traits_of(field.kind));
  return bits;
}

const Field* find_field(const OpRow& row, FieldKind kind);  // null if the row has none

// The part of the instruction's iteration space that a tile or column covers.
Shape operand_shape(const Field& field, const Instruction& instruction);
std::uint64_t free_elements(const Shape& shape);
// Returns whether text may omit an optional field: its slot equals the default of Instruction bit by bit.
bool is_default(const FieldTraits& traits, const Instruction& instruction);

// An optional scalar or reversal belongs to an ALU operation (scalar0 and reverse0 to op0, scalar1 and
// reverse1 to op1) if the row has one. An operation of two operands needs its scalar; one of a single operand
// takes neither.
enum class Presence : std::uint8_t { kFree, kNeeded, kForbidden };
bool takes_operand(AluOp op);  // false for rsqrt, reciprocal, abs, bitwise_not and bypass
Presence presence_of(const OpRow& row, const Field& field, const Instruction& instruction);

// Scales of an operand of MX (isa/table/table_later.h): a quadrant of kQuadrant partitions has kScaleRows
// partitions of scales at its start. `partitions` is a multiple of kQuadrant; the result counts from the
// first scale to the last.
inline constexpr unsigned kScaleGroup = 8, kScaleRows = unsigned{kQuadrant} / kScaleGroup;
constexpr unsigned scale_partitions(unsigned partitions) {
  constexpr unsigned kWhole = kQuadrant;
  return partitions < kWhole ? kScaleRows : partitions - kWhole + kScaleRows;
}

// The sizes of tiles in a memory or array of `size` partitions, rows or columns, ascending with n: a quarter,
// a half and all of it; beyond 128 (assumed, nothing larger is published) the sizes of 128, then twice the
// size before, up to all, so that operands for 128 may start where they do there.
constexpr unsigned tile_size(unsigned n, unsigned size) {
  constexpr unsigned kPublished = 4 * kQuadrant;
  const unsigned tile = size > kPublished ? unsigned{kQuadrant} << n : (size << n) / 4;
  return tile == 0 ? 1 : tile < size ? tile : size;
}

// Columns that a load_weights fills and that a matmul or transpose streams.
std::uint64_t stationary_columns(const Instruction& instruction);
std::uint64_t moving_columns(const Instruction& instruction);

// Default strides that text may omit: 1 for the innermost dimension, 0 for a dimension of count 1, and the
// product of the inner counts for the others. `fits` is false if such a stride exceeds its bits; it must then
// be written.
template <class Stride>
struct DefaultStrides {
  std::array<Stride, kFreeDims> stride{};
  bool fits = true;
};
DefaultStrides<std::int16_t> default_strides(const Field& field, const Instruction& instruction);
// These are the strides of one side of a transfer; on chip the dimension that enumerates partitions has 0.
DefaultStrides<std::int32_t> default_strides(const DmaSide& side, const Descriptor& descriptor);

}  // namespace tahoma::isa
