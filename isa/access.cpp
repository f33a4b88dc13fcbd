// SPDX-License-Identifier: Apache-2.0
#include "isa/access.h"

namespace tahoma::isa {
namespace {

struct Direction {
  bool reads, writes;
};

// The one place that knows which kind of operand is a source and which a destination.
Direction direction_of(FieldKind kind, const Instruction& i) {
  switch (kind) {
    case FieldKind::kDst:
    case FieldKind::kReducedDst:
    case FieldKind::kTransposeDst:
    case FieldKind::kReduceResult:
      return {false, true};
    case FieldKind::kMatrixDst:
      return {i.accumulate, true};
    default:
      return {true, false};
  }
}

// The part of the instruction's shape that an operand covers.
Shape covered(FieldKind kind, const Instruction& i) {
  Shape shape = i.shape;
  if (kind == FieldKind::kMatrixDst || kind == FieldKind::kTransposeDst) shape.partitions = i.columns;
  if (kind == FieldKind::kReduceResult) shape.count.fill(1);
  if (kind == FieldKind::kReducedDst)
    for (std::size_t d = 0; d < kFreeDims; ++d)
      if (d + i.axes >= kFreeDims) shape.count[d] = 1;
  return shape;
}

Pattern pattern_of(const Descriptor& d, const DmaSide& side, std::uint64_t address) {
  Pattern p;
  p.space = side.space;
  p.offset = address;
  p.element = static_cast<std::uint32_t>(size_of(side.dtype));
  p.count = d.count;
  for (std::size_t n = 0; n < kFreeDims; ++n) p.stride[n] = std::int64_t{side.stride[n]} * p.element;
  if (side.space == Space::kHbm) return p;
  p.offset = side.offset;
  p.partition = side.partition;
  p.partitions = static_cast<std::uint8_t>(d.count[0]);
  p.count[0] = 1;
  return p;
}

}  // namespace

OperandAccess tile_access(FieldKind kind, const Instruction& instruction, const Tile& tile) {
  const Shape shape = covered(kind, instruction);
  const Direction direction = direction_of(kind, instruction);
  Pattern p;
  p.space = tile.space;
  p.partition = tile.partition;
  p.partitions = shape.partitions;
  p.offset = tile.offset;
  p.element = static_cast<std::uint32_t>(size_of(tile.dtype));
  for (std::size_t n = 0; n < kFreeDims; ++n) {
    p.count[n] = shape.count[n];
    p.stride[n] = std::int64_t{tile.stride[n]} * p.element;
  }
  return {p, direction.reads, direction.writes};
}

OperandAccess column_access(const Instruction& instruction, const Scalar& scalar) {
  Pattern p;
  p.space = scalar.space;
  p.partition = scalar.partition;
  p.partitions = instruction.shape.partitions;
  p.offset = scalar.offset;
  p.element = sizeof(float);
  return {p, true, false};
}

OperandAccess source_access(const Descriptor& d, std::uint64_t address) {
  return {pattern_of(d, d.src, address), true, false};
}

OperandAccess destination_access(const Descriptor& d, std::uint64_t address) {
  return {pattern_of(d, d.dst, address), d.accumulate, true};
}

}  // namespace tahoma::isa
