// SPDX-License-Identifier: Apache-2.0
// The tensor engine: load_weights, matmul and transpose. Pure movement and one kernel (isa/matmul_kernel.h).
#include <algorithm>
#include <cstring>
#include <string>

#include "isa/error.h"
#include "isa/matmul_kernel.h"
#include "isa/row_access.h"
#include "isa/semantics_ops.h"
#include "isa/walk.h"

namespace tahoma::isa {
namespace {

std::size_t free_elements(const Shape& shape) {
  std::size_t n = 1;
  for (const std::size_t c : shape.count) n *= c;
  return n;
}

// One partition of an operand in ascending order, as rows: f(first element, step, its index, length).
template <class F>
void for_each_piece_of_partition(const Shape& shape, const Operand& operand, unsigned partition, F&& f) {
  Shape one = shape;
  one.partitions = 1;
  Operand row = operand;
  row.at += operand.step[0] * static_cast<std::ptrdiff_t>(partition);
  auto walk = make_walk<1>(one, {row});
  walk.merge();
  std::size_t index = 0;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 1>& at, std::size_t n) {
    f(at[0], walk.row_step(0), index, n);
    index += n;
  });
}

// Buffers that live during one call only, but are too large for a stack and too hot for the allocator.
float* scratch_floats(std::size_t count, unsigned which) {
  thread_local std::array<std::vector<float>, 2> buffers;
  constexpr std::size_t kLine = 16;  // floats per cache line
  auto& buffer = buffers[which];
  if (buffer.size() < count + kLine) buffer.resize(count + kLine);
  const auto address = reinterpret_cast<std::uintptr_t>(buffer.data());
  return buffer.data() + (kLine - address / sizeof(float) % kLine) % kLine;
}
constexpr unsigned kPackedMoving = 0, kDenseResult = 1;

void widen_partition(const Shape& shape, const Operand& operand, unsigned partition, float* out) {
  ScratchRow scratch;
  for_each_piece_of_partition(
      shape, operand, partition,
      [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
        const float* row = load_dense_row(at, step, operand.dtype, n, scratch);
        std::copy_n(row, n, out + index);
      });
}

void check_weights(const Instruction& i, const Weights& w, const char* mnemonic) {
  if (i.shape.partitions <= w.rows && i.columns <= w.columns) return;
  throw ProgramError("E-ISA-401", mnemonic,
                     "needs weights of at least " + std::to_string(i.shape.partitions) + " rows x " +
                         std::to_string(i.columns) + " columns, but the last load_weights left " +
                         std::to_string(w.rows) + " x " + std::to_string(w.columns));
}

// All partitions of a matrix, widened, into panels of this width.
template <std::size_t width>
void pack_matrix(const Shape& shape, const Operand& matrix, float* packed) {
  ScratchRow scratch;
  for (unsigned k = 0; k < shape.partitions; ++k) {
    for_each_piece_of_partition(
        shape, matrix, k, [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          const float* row = load_dense_row(at, step, matrix.dtype, n, scratch);
          pack<width>(row, index, n, k, shape.partitions, packed);
        });
  }
}

// Whether dst is what the kernel writes: rows of contiguous, aligned fp32.
bool has_dense_rows(const Operand& dst, const Walk<1>& row, std::size_t moving) {
  const auto misaligned = reinterpret_cast<std::uintptr_t>(dst.at) % alignof(float);
  return dst.dtype == DType::kFp32 && row.row_length() == moving && row.row_step(0) == sizeof(float) &&
         misaligned == 0 && dst.step[0] % static_cast<std::ptrdiff_t>(sizeof(float)) == 0;
}

constexpr std::int32_t kNoRow = -1;

// For each moving column, the last row that it holds something other than zero in.
std::vector<std::int32_t> picked_rows(const Shape& shape, const Operand& moving) {
  std::vector<std::int32_t> picked(free_elements(shape), kNoRow);
  ScratchRow scratch;
  for (unsigned k = 0; k < shape.partitions; ++k) {
    for_each_piece_of_partition(
        shape, moving, k, [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          const float* row = load_dense_row(at, step, moving.dtype, n, scratch);
          std::int32_t* pick = picked.data() + index;
          for (std::size_t c = 0; c < n; ++c)
            pick[c] = row[c] != 0.0F ? static_cast<std::int32_t>(k) : pick[c];
        });
  }
  return picked;
}

// A group of columns of the weights from m on, each in the order of `picked`, as raw elements of `size`
// bytes. Neighbours go together because they lie in the same cache lines.
constexpr unsigned kGroup = 8;
template <std::size_t size>
void gather_columns(const Weights& w, unsigned m, unsigned columns, const std::vector<std::int32_t>& picked,
                    std::byte* out) {
  const std::array<std::byte, kGroup * size> zeros{};
  for (std::size_t n = 0; n < picked.size(); ++n) {
    const std::size_t row = static_cast<std::size_t>(std::max(picked[n], 0)) * w.columns + m;
    const std::byte* from = picked[n] == kNoRow ? zeros.data() : w.raw.data() + row * size;
    for (unsigned j = 0; j < columns; ++j) {
      std::memcpy(out + (j * picked.size() + n) * size, from + j * size, size);
    }
  }
}

}  // namespace

void do_load_weights(const Instruction& i, const CoreView& core) {
  Weights& w = *core.weights;
  w.rows = i.shape.partitions;
  w.columns = static_cast<unsigned>(free_elements(i.shape));
  w.dtype = i.src0.dtype;
  const std::size_t size = size_of(w.dtype), row_bytes = w.columns * size;
  w.packed.resize(panel_floats(w.rows, w.columns, kWeightPanel));
  w.raw.resize(w.rows * row_bytes);
  const Operand src = tile_operand(core, i.src0);
  pack_matrix<kWeightPanel>(i.shape, src, w.packed.data());
  for (unsigned k = 0; k < w.rows; ++k) {
    std::byte* raw = w.raw.data() + k * row_bytes;
    for_each_piece_of_partition(
        i.shape, src, k, [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          copy_row(raw + index * size, static_cast<std::ptrdiff_t>(size), at, step, size, n);
        });
  }
}

void do_matmul(const Instruction& i, const CoreView& core) {
  check_weights(i, *core.weights, "matmul");
  const std::size_t moving = free_elements(i.shape);
  const MatmulShape shape{i.shape.partitions, i.columns, moving, core.weights->rows};
  float* packed = scratch_floats(panel_floats(shape.rows, moving, kMovingPanel), kPackedMoving);
  pack_matrix<kMovingPanel>(i.shape, tile_operand(core, i.src0), packed);
  const Operand dst = tile_operand(core, i.dst);
  Shape out = i.shape;
  out.partitions = 1;
  auto row = make_walk<1>(out, {dst});
  row.merge();
  if (has_dense_rows(dst, row, moving)) {
    matmul_panels(shape, core.weights->packed.data(), packed, reinterpret_cast<float*>(dst.at),
                  dst.step[0] / static_cast<std::ptrdiff_t>(sizeof(float)), i.accumulate);
    return;
  }
  // Any other destination goes through a dense copy, added to in the same way.
  out.partitions = i.columns;
  float* dense = scratch_floats(i.columns * moving, kDenseResult);
  for (unsigned m = 0; m < i.columns && i.accumulate; ++m) widen_partition(out, dst, m, dense + m * moving);
  matmul_panels(shape, core.weights->packed.data(), packed, dense, static_cast<std::ptrdiff_t>(moving),
                i.accumulate);
  for (unsigned m = 0; m < i.columns; ++m) {
    for_each_piece_of_partition(out, dst, m,
                                [&](std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
                                  store_row(at, step, dst.dtype, n, dense + m * moving + index);
                                });
  }
}

void do_transpose(const Instruction& i, const CoreView& core) {
  const Weights& w = *core.weights;
  check_weights(i, w, "transpose");
  const Operand dst = tile_operand(core, i.dst);
  const auto picked = picked_rows(i.shape, tile_operand(core, i.src0));
  const std::size_t size = size_of(w.dtype), column_bytes = picked.size() * size;
  const auto dense = static_cast<std::ptrdiff_t>(size);
  std::vector<std::byte> group(kGroup * column_bytes);
  ScratchRow scratch;
  for (unsigned m = 0; m < i.columns; ++m) {
    if (m % kGroup == 0) {
      const unsigned columns = std::min<unsigned>(kGroup, i.columns - m);
      if (size == 1) gather_columns<1>(w, m, columns, picked, group.data());
      if (size == 2) gather_columns<2>(w, m, columns, picked, group.data());
      if (size == 4) gather_columns<4>(w, m, columns, picked, group.data());
    }
    for_each_piece_of_partition(
        i.shape, dst, m, [&](std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          const std::byte* from = group.data() + m % kGroup * column_bytes + index * size;
          if (w.dtype == dst.dtype) return copy_row(at, step, from, dense, size, n);
          store_row(at, step, dst.dtype, n, load_dense_row(from, dense, w.dtype, n, scratch));
        });
  }
}

}  // namespace tahoma::isa
