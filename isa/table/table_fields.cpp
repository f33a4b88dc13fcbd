// SPDX-License-Identifier: Apache-2.0
#include "isa/table/table_fields.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "isa/table/table_rows.h"

namespace tahoma::isa {
namespace {

template <class Stride, class Count>
DefaultStrides<Stride> contiguous(const std::array<Count, kFreeDims>& count) {
  DefaultStrides<Stride> result;
  std::int64_t inner = 1;
  for (std::size_t d = kFreeDims; d-- > 0;) {
    const std::int64_t stride = d + 1 == kFreeDims || count[d] != 1 ? inner : 0;
    if (stride > std::numeric_limits<Stride>::max()) return {{}, false};
    result.stride[d] = static_cast<Stride>(stride);
    inner *= count[d];
  }
  return result;
}

// The comparison is bitwise: -0 differs from 0.
bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
bool same_bits(const Scalar& a, const Scalar& b) { return a == b && same_bits(a.imm, b.imm); }
template <class T>
bool same_bits(const T& a, const T& b) {
  return a == b;
}

}  // namespace

const Field* find_field(const OpRow& row, FieldKind kind) {
  const auto field =
      std::find_if(row.fields.begin(), row.fields.end(), [&](const Field& f) { return f.kind == kind; });
  return field == row.fields.end() ? nullptr : &*field;
}

bool is_default(const FieldTraits& traits, const Instruction& i) {
  static const Instruction kDefault;
  return std::visit([&](auto slot) { return same_bits(i.*slot, kDefault.*slot); }, traits.slot);
}

bool takes_operand(AluOp op) {
  constexpr AluOps kNoOperand = kUnary | kBitwiseUnary | kBypassOp;
  return ((kNoOperand >> static_cast<unsigned>(op)) & 1) == 0;
}

Presence presence_of(const OpRow& row, const Field& field, const Instruction& i) {
  const bool first = field.kind == FieldKind::kScalar0 || field.kind == FieldKind::kReverse0;
  const bool second = field.kind == FieldKind::kScalar1 || field.kind == FieldKind::kReverse1;
  if (!field.optional || (!first && !second)) return Presence::kFree;
  if (find_field(row, first ? FieldKind::kOp0 : FieldKind::kOp1) == nullptr) return Presence::kFree;
  if (!takes_operand(first ? i.op0 : i.op1)) return Presence::kForbidden;
  const bool scalar = field.kind == FieldKind::kScalar0 || field.kind == FieldKind::kScalar1;
  return scalar ? Presence::kNeeded : Presence::kFree;
}

std::uint64_t free_elements(const Shape& shape) {
  std::uint64_t n = 1;
  for (const auto count : shape.count) n *= count;
  return n;
}

std::uint64_t stationary_columns(const Instruction& i) {
  return free_elements(i.shape) / weights_per_cell(mode_of(i));
}

std::uint64_t moving_columns(const Instruction& i) {
  return free_elements(i.shape) / row_of(mode_of(i)).slices;
}

Shape operand_shape(const Field& field, const Instruction& i) {
  Shape shape = i.shape;
  const auto row_of_elements = [&](std::uint64_t n) {
    shape.count = {1, 1, 1, static_cast<std::uint16_t>(n)};
  };
  if (field.elements != 0) row_of_elements(field.elements);
  switch (field.kind) {
    case FieldKind::kMatrixDst:
    case FieldKind::kTransposeDst:
      shape.partitions = i.columns;
      if (row_of(mode_of(i)).slices > 1) shape.count[kSliceDim] = 1;
      break;
    case FieldKind::kScales:
    case FieldKind::kScalesDst:
      shape.partitions = static_cast<std::uint16_t>(scale_partitions(i.shape.partitions));
      shape.count[kSliceDim] = 1;
      break;
    case FieldKind::kReducedDst:
      for (std::size_t d = 0; d < kFreeDims; ++d)
        if (d + i.axes >= kFreeDims) shape.count[d] = 1;
      break;
    case FieldKind::kTransposedDst:
      row_of_elements(shape.partitions);
      shape.partitions = static_cast<std::uint16_t>(free_elements(i.shape));
      break;
    case FieldKind::kOneRowDst:
      shape.partitions = 1;
      break;
    case FieldKind::kBoundsDst:
      shape.count = {1, 1, 2, static_cast<std::uint16_t>(free_elements(i.shape))};
      break;
    case FieldKind::kCountedDst:
      row_of_elements(free_elements(i.shape) + 1);
      break;
    case FieldKind::kGatheredDst:
      row_of_elements(std::uint64_t{i.valid} * (i.op == Opcode::kGatherColumns ? 1U : i.per_index));
      break;
    case FieldKind::kListedSource:
      row_of_elements(i.valid);
      break;
    case FieldKind::kScatteredDst:
    case FieldKind::kGatherSource:
      row_of_elements(i.extent);
      break;
    case FieldKind::kRankedDst:
    case FieldKind::kRankedIndex:
      row_of_elements((i.valid + 15) / 16);
      break;
    case FieldKind::kTags:
      row_of_elements((free_elements(i.shape) + 3) / 4);
      break;
    case FieldKind::kScalar0:
    case FieldKind::kScalar1:
      row_of_elements(1);
      break;
    case FieldKind::kResult:
    case FieldKind::kRowNumbers:
      row_of_elements(std::max<unsigned>(1, field.elements));
      break;
    default:
      break;
  }
  return shape;
}

DefaultStrides<std::int16_t> default_strides(const Field& field, const Instruction& instruction) {
  return contiguous<std::int16_t>(operand_shape(field, instruction).count);
}

DefaultStrides<std::int32_t> default_strides(const DmaSide& side, const Descriptor& descriptor) {
  auto count = descriptor.count;
  if (side.space != Space::kHbm) count[side.across % kFreeDims] = 1;
  auto defaults = contiguous<std::int32_t>(count);
  if (side.space != Space::kHbm) defaults.stride[side.across % kFreeDims] = 0;
  return defaults;
}

}  // namespace tahoma::isa
