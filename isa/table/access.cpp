// SPDX-License-Identifier: Apache-2.0
#include "isa/table/access.h"

#include <algorithm>

namespace tahoma::isa {
namespace {

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
  p.partitions = static_cast<std::uint16_t>(d.count[side.across]);
  p.count[side.across] = 1;
  return p;
}

Pattern pattern_of(const Tile& tile, const Shape& shape) {
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
  return p;
}

// Consecutive elements from a position on.
template <class Operand>
Pattern pattern_of(const Operand& place, DType dtype, const Shape& shape) {
  return pattern_of(Tile{place.space, dtype, place.partition, place.offset, {0, 0, 0, 1}}, shape);
}

// Returns the accessed part of the covered shape.
Shape touched(const Field& field, const Instruction& i) {
  Shape shape = operand_shape(field, i);
  const auto columns = [&](std::uint64_t elements) {
    shape.count = {1, 1, 1,
                   static_cast<std::uint16_t>((elements + kGpSimdPartitions - 1) / kGpSimdPartitions)};
  };
  const bool plain = i.src0.stride == decltype(i.src0.stride){0, 0, 0, 1} && i.shape.count[2] == 1 &&
                     i.shape.count[1] == 1 && i.shape.count[0] == 1;
  if (i.op == Opcode::kTopk && field.kind == FieldKind::kSrc0 && plain) columns(i.extent);
  return shape;
}

bool is_given(const Field& field, const Tile& tile) { return !field.optional || tile != Tile{}; }

class Collector {
 public:
  explicit Collector(const Instruction& i) : i_(i) {}

  AccessList collect() {
    for (const Field& field : row_of(i_.op).fields) {
      const FieldTraits& traits = traits_of(field.kind);
      if (traits.role == Role::kNone) continue;
      field_ = &field;
      writes_ = traits.role == Role::kWrite;
      reads_ = !writes_ || (field.kind == FieldKind::kMatrixDst && i_.accumulate);
      std::visit([&](auto slot) { operand(i_.*slot); }, traits.slot);
    }
    return list_;
  }

 private:
  void operand(const Tile& tile) {
    if (!is_given(*field_, tile)) return;
    const Pattern p = pattern_of(tile, touched(*field_, i_));
    if (i_.op == Opcode::kNonzeroWithCount)
      firsts_of_groups(p);
    else if (i_.op == Opcode::kStreamShuffle && !writes_)
      shuffled(p);
    else if (field_->kind == FieldKind::kScales || field_->kind == FieldKind::kScalesDst)
      scales(p);
    else
      add(p);
  }
  void operand(const Scalar& scalar) {
    if (scalar.is_tile) add(pattern_of(scalar, DType::kFp32, operand_shape(*field_, i_)));
  }
  void operand(const Column& column) {
    const bool rows = field_->kind == FieldKind::kRowNumbers;  // the transfer gives their number
    if (column.present && !rows) add(pattern_of(column, column.dtype, operand_shape(*field_, i_)));
  }
  template <class Other>
  void operand(const Other&) {}

  void add(const Pattern& p) { list_.add({p, reads_, writes_}); }

  // Each processor uses only the first of its partitions.
  void firsts_of_groups(Pattern p) {
    const unsigned first = p.partition, end = first + p.partitions;
    p.partitions = 1;
    for (unsigned at = (first + kGpSimdPartitions - 1) / kGpSimdPartitions * kGpSimdPartitions; at < end;
         at += kGpSimdPartitions) {
      p.partition = static_cast<std::uint16_t>(at);
      add(p);
    }
  }

  // Adds the partitions of each quadrant that hold scales.
  void scales(Pattern p) {
    const unsigned first = p.partition, count = p.partitions;
    p.partitions = kScaleRows;
    for (unsigned done = 0; done < count; done += kQuadrant) {
      p.partition = static_cast<std::uint16_t>(first + done);
      add(p);
    }
  }

  // Adds, for each quadrant, the partitions from the first to the last that the mask names.
  void shuffled(Pattern p) {
    const unsigned first = p.partition, count = p.partitions;
    for (unsigned done = 0; done < count; done += kQuadrant) {
      unsigned low = kQuadrant, high = 0;
      for (unsigned n = 0; n < std::min<unsigned>(kQuadrant, count - done); ++n)
        if (const unsigned from = i_.mask[n]; from < kQuadrant) {
          low = std::min(low, from);
          high = std::max(high, from);
        }
      if (low > high) continue;  // the whole quadrant stays as it is
      p.partition = static_cast<std::uint16_t>(first + done + low);
      p.partitions = static_cast<std::uint16_t>(high - low + 1);
      add(p);
    }
  }

  const Instruction& i_;
  const Field* field_ = nullptr;
  bool reads_ = false, writes_ = false;
  AccessList list_;
};

}  // namespace

AccessList accesses_of(const Instruction& instruction) { return Collector(instruction).collect(); }

OperandAccess source_access(const Descriptor& d, std::uint64_t address) {
  return {pattern_of(d, d.src, address), true, false};
}

OperandAccess destination_access(const Descriptor& d, std::uint64_t address) {
  return {pattern_of(d, d.dst, address), d.accumulate, true};
}

OperandAccess word_access(const DmaSide& word, std::uint64_t address, bool writes) {
  Descriptor one;
  one.src = word;
  return {pattern_of(one, word, address), !writes, writes};
}

OperandAccess row_number_access(const Column& column, std::uint64_t rows) {
  Shape shape;
  shape.partitions = static_cast<std::uint16_t>(rows);
  return {pattern_of(column, column.dtype, shape), true, false};
}

}  // namespace tahoma::isa
