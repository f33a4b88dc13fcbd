// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/matmul_operands.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hwy/cache_control.h"
#include "isa/semantics/arithmetic/row_access.h"
#include "isa/simd/panel_loop.h"
#include "isa/table/table_fields.h"

namespace tahoma::isa {
namespace {

// Elements of one partition and one contraction row, `step` bytes apart.
struct MovingPiece {
  const std::byte* at;
  std::ptrdiff_t step;
  DType dtype;
  std::size_t elements;
};

// Packs a piece, from column `first` on, into row k of the panels.
void pack_piece(const MovingPiece& piece, std::size_t first, std::size_t k, std::size_t rows, float* packed) {
  const auto [at, step, dtype, n] = piece;
  const std::size_t stride = panel_stride(rows, kMovingPanel);
  std::size_t whole = 0;
  if (step == static_cast<std::ptrdiff_t>(size_of(dtype)) && first % kMovingPanel == 0 && is_float(dtype)) {
    whole = n / kMovingPanel * kMovingPanel;
    widen_into_panels(dtype, at, whole, packed + first / kMovingPanel * stride + k * kMovingPanel, stride);
  }
  ScratchRow scratch;
  while (whole < n) {
    const std::size_t part = std::min(kScratch, n - whole);
    const std::byte* from = at + step * static_cast<std::ptrdiff_t>(whole);
    pack<kMovingPanel>(load_dense_row(from, step, dtype, part, scratch), first + whole, part, k, rows,
                       packed);
    whole += part;
  }
}

// Prefetch distance in partitions: they are too far apart for the host's prefetcher.
constexpr unsigned kAhead = 2;
void prefetch_row(const Shape& shape, const Operand& operand, unsigned partition) {
  constexpr std::size_t kLine = 64;
  const std::size_t size = size_of(operand.dtype);
  if (operand.step[kWalkDims - 1] != static_cast<std::ptrdiff_t>(size)) return;
  const std::byte* at = operand.at + operand.step[0] * static_cast<std::ptrdiff_t>(partition);
  for (std::size_t b = 0; b < shape.count[kFreeDims - 1] * size; b += kLine) hwy::Prefetch(at + b);
}

}  // namespace

void split(Halves& numbers) {
  numbers.low.resize(numbers.high.size());
  numbers.all_finite = split_halves(numbers.high.data(), numbers.low.data(), numbers.high.size());
  numbers.has_low = true;
  if (!numbers.all_finite) find_infinities(numbers);
}

void find_infinities(Halves& numbers) {
  numbers.all_finite = all_finite(numbers.high.data(), numbers.high.size());
  if (numbers.all_finite) return;
  numbers.finite.resize(numbers.high.size());
  std::transform(numbers.high.begin(), numbers.high.end(), numbers.finite.begin(),
                 [](float x) { return std::isfinite(x) ? x : 0.0F; });
}

namespace {

void prepare(Halves& numbers, Preparation preparation) {
  numbers.has_low = false;
  numbers.all_finite = true;
  if (preparation == Preparation::kSplit) split(numbers);
  if (preparation == Preparation::kMeetsHalves) find_infinities(numbers);
}

}  // namespace

void pack_moving(const Shape& shape, const Operand& operand, unsigned slices, Preparation preparation,
                 Halves& packed) {
  const std::size_t columns = free_elements(shape) / slices;
  const std::size_t rows = std::size_t{shape.partitions} * slices;
  packed.high.resize(panel_floats(rows, columns, kMovingPanel));
  for (unsigned p = 0; p < shape.partitions; ++p) {
    if (p + kAhead < shape.partitions) prefetch_row(shape, operand, p + kAhead);
    for_each_piece_of_partition(
        shape, operand, p, std::numeric_limits<std::size_t>::max(),
        [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          while (n > 0) {  // a piece may continue into the next slice
            const std::size_t slice = index / columns, column = index % columns;
            const std::size_t part = std::min(n, columns - column);
            pack_piece({at, step, operand.dtype, part}, column, std::size_t{p} * slices + slice, rows,
                       packed.high.data());
            at += step * static_cast<std::ptrdiff_t>(part);
            index += part;
            n -= part;
          }
        });
  }
  prepare(packed, preparation);
}

void pack_weights(const std::byte* raw, DType dtype, std::size_t k, std::size_t columns, Halves& packed) {
  packed.high.assign(panel_floats(k, columns, kWeightPanel), 0.0F);
  const std::size_t size = size_of(dtype);
  ScratchRow scratch;
  for (std::size_t row = 0; row < k; ++row) {
    for (std::size_t done = 0; done < columns;) {
      const std::size_t n = std::min(kScratch, columns - done);
      const std::byte* at = raw + (row * columns + done) * size;
      pack<kWeightPanel>(load_dense_row(at, static_cast<std::ptrdiff_t>(size), dtype, n, scratch), done, n,
                         row, k, packed.high.data());
      done += n;
    }
  }
  prepare(packed, dtype == DType::kFp32   ? Preparation::kSplit
                  : dtype == DType::kTf32 ? Preparation::kMeetsHalves
                                          : Preparation::kWhole);
}

}  // namespace tahoma::isa
