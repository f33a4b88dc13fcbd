// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/array_tiles.h"

#include <algorithm>

#include "isa/table/table_fields.h"

namespace tahoma::isa {
namespace {

struct Range {
  unsigned first, count;
};

Range tile_around(const Range& range, unsigned size) {
  for (unsigned n = 0; tile_size(n, size) < size; ++n) {
    const unsigned tile = tile_size(n, size), first = range.first / tile * tile;
    if (range.first + range.count <= first + tile) return {first, std::min(tile, size - first)};
  }
  return {0, size};
}

bool intersect(const Range& a, const Range& b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

// Groups the modes that leave the same contents in the array. onezero only says that one half of each number
// is not needed.
MatmulMode class_of(MatmulMode mode) {
  const bool onezero = mode == MatmulMode::kOneZeroStationary || mode == MatmulMode::kOneZeroMoving;
  return onezero ? MatmulMode::kDense : mode;
}

bool is_wide_float(DType dtype) { return dtype == DType::kFp32 || dtype == DType::kTf32; }

std::string text_of(const Range& range) {
  return std::to_string(range.first) + ".." + std::to_string(range.first + range.count - 1);
}

std::string unusable_dtype(const Instruction& user, DType weights) {
  const DType moving = array_dtype(user, user.src0.dtype);
  const std::string start =
      "moves " + std::string(name_of(moving)) + " past weights of " + std::string(name_of(weights));
  if (user.op == Opcode::kTranspose)
    return (size_of(weights) == 4) == (size_of(moving) == 4)
               ? ""
               : start + "; expected 32-bit with 32-bit or narrower with narrower";
  if (!is_float(weights)) return start + "; expected weights of a float dtype";
  return is_wide_float(weights) == is_wide_float(moving)
             ? ""
             : start + "; expected fp32 or tf32 with fp32 or tf32, or 16-bit and fp8 with 16-bit and fp8";
}

}  // namespace

Standing standing_of(const Instruction& i, const ArraySize& array) {
  const ArrayBlock block{i.src0.partition % array.rows, i.column, i.shape.partitions,
                         static_cast<unsigned>(stationary_columns(i))};
  return {block, mode_of(i), array_dtype(i, i.src0.dtype)};
}

ArrayBlock used_block(const Instruction& i, const ArraySize& array) {
  return {i.src0.partition % array.rows, i.dst.partition % array.columns, i.shape.partitions, i.columns};
}

bool fits(const ArrayBlock& b, const ArraySize& array) {
  return b.row + b.rows <= array.rows && b.column + b.columns <= array.columns;
}

ArrayBlock tile_of(const ArrayBlock& b, const ArraySize& array) {
  const Range rows = tile_around({b.row, b.rows}, array.rows);
  const Range columns = tile_around({b.column, b.columns}, array.columns);
  return {rows.first, columns.first, rows.count, columns.count};
}

bool overlap(const ArrayBlock& a, const ArrayBlock& b) {
  return intersect({a.row, a.rows}, {b.row, b.rows}) &&
         intersect({a.column, a.columns}, {b.column, b.columns});
}

std::string unusable(const Instruction& user, const ArrayBlock& used, const Standing& standing) {
  if (used != standing.block)
    return "uses " + text_of(used) + " of the array; loaded there are " + text_of(standing.block);
  const MatmulMode mode = user.op == Opcode::kTranspose ? MatmulMode::kDense : mode_of(user);
  if (class_of(mode) != class_of(standing.mode))
    return "is " + std::string(name_of(mode)) + " with weights loaded as " +
           std::string(name_of(standing.mode)) + "; expected one mode";
  return unusable_dtype(user, standing.dtype);
}

std::optional<Turn> turn_of(DType weights, DType dst) {
  if (size_of(weights) == 1 && dst == DType::kUint16) return Turn::kZeroByte;
  if (weights == dst) return Turn::kSame;  // 8 bits with a step of two (E-ISA-020)
  return is_float(weights) && dst == DType::kFp32 ? std::optional(Turn::kWiden) : std::nullopt;
}

std::string text_of(const ArrayBlock& b) {
  return "rows " + text_of(Range{b.row, b.rows}) + ", columns " + text_of(Range{b.column, b.columns});
}

}  // namespace tahoma::isa
