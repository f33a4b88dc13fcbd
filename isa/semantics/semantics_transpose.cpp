// SPDX-License-Identifier: Apache-2.0
// The tensor engine's transpose: moves weights through the array bit by bit.
#include <algorithm>
#include <cstring>
#include <string>

#include "isa/core/program_error.h"
#include "isa/semantics/arithmetic/matmul_operands.h"
#include "isa/semantics/arithmetic/row_access.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/table/table_fields.h"

namespace tahoma::isa {
namespace {

constexpr std::int32_t kNoRow = -1;

// For each moving column, the last row with a nonzero element.
std::vector<std::int32_t> picked_rows(const Shape& shape, const Operand& moving) {
  std::vector<std::int32_t> picked(free_elements(shape), kNoRow);
  ScratchRow scratch;
  for (unsigned k = 0; k < shape.partitions; ++k) {
    for_each_piece_of_partition(
        shape, moving, k, kScratch,
        [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          const float* row = load_dense_row(at, step, moving.dtype, n, scratch);
          std::int32_t* pick = picked.data() + index;
          for (std::size_t c = 0; c < n; ++c)
            pick[c] = row[c] != 0.0F ? static_cast<std::int32_t>(k) : pick[c];
        });
  }
  return picked;
}

// A group of columns of the weights from m on, each in the order of `picked`, as raw elements of `size`
// bytes. Adjacent columns are grouped because they share cache lines.
constexpr unsigned kColumnsTogether = 8;
template <std::size_t size>
void gather_columns(const LoadedWeights& w, unsigned m, unsigned columns,
                    const std::vector<std::int32_t>& picked, std::byte* out) {
  const std::array<std::byte, kColumnsTogether * size> zeros{};
  for (std::size_t n = 0; n < picked.size(); ++n) {
    const std::size_t row = static_cast<std::size_t>(std::max(picked[n], 0)) * w.standing.block.columns + m;
    const std::byte* from = picked[n] == kNoRow ? zeros.data() : w.raw.data() + row * size;
    for (unsigned j = 0; j < columns; ++j) {
      std::memcpy(out + (j * picked.size() + n) * size, from + j * size, size);
    }
  }
}

void gather_group(const LoadedWeights& w, unsigned m, unsigned columns,
                  const std::vector<std::int32_t>& picked, std::byte* out) {
  switch (size_of(w.standing.dtype)) {
    case 1:
      return gather_columns<1>(w, m, columns, picked, out);
    case 2:
      return gather_columns<2>(w, m, columns, picked, out);
    default:
      return gather_columns<4>(w, m, columns, picked, out);
  }
}

// Elements of the destination in one partition, `step` bytes apart.
struct TurnedPiece {
  std::byte* at;
  std::ptrdiff_t step;
  DType dtype;
  std::size_t elements;
};

// Writes gathered elements of the weights' dtype to dst.
void put(Turn turn, const std::byte* from, DType weights, const TurnedPiece& dst) {
  auto [at, step, dtype, n] = dst;
  const auto size = static_cast<std::ptrdiff_t>(size_of(weights));
  if (turn == Turn::kSame) return copy_row(at, step, from, size, size_of(weights), n);
  if (turn == Turn::kZeroByte) {
    for (std::size_t i = 0; i < n; ++i, at += step) {
      const auto value = static_cast<std::uint16_t>(from[i]);
      std::memcpy(at, &value, sizeof value);
    }
    return;
  }
  ScratchRow scratch;
  store_row(at, step, dtype, n, load_dense_row(from, size, weights, n, scratch));
}

}  // namespace

void do_transpose(const Instruction& i, const CoreView& core) {
  const LoadedWeights& w = weights_for(i, core, "transpose");
  const DType dtype = w.standing.dtype;
  const auto turn = turn_of(dtype, i.dst.dtype);
  if (!turn)
    throw ProgramError("E-ISA-401", "transpose",
                       "weights of " + std::string(name_of(dtype)) + " cannot go to " +
                           std::string(name_of(i.dst.dtype)) +
                           "; expected their own dtype (uint16 for 8-bit types), or fp32 for floats");
  const Operand dst = tile_operand(core, i.dst);
  const auto picked = picked_rows(i.shape, tile_operand(core, i.src0));
  const std::size_t size = size_of(dtype), column_bytes = picked.size() * size;
  std::vector<std::byte> group(kColumnsTogether * column_bytes);
  for (unsigned m = 0; m < i.columns; ++m) {
    if (m % kColumnsTogether == 0)
      gather_group(w, m, std::min<unsigned>(kColumnsTogether, i.columns - m), picked, group.data());
    for_each_piece_of_partition(
        i.shape, dst, m, kScratch, [&](std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          put(*turn, group.data() + m % kColumnsTogether * column_bytes + index * size, dtype,
              {at, step, i.dst.dtype, n});
        });
  }
}

}  // namespace tahoma::isa
