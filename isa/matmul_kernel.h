// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one matmul pass: dst[m][n] = sum over k of w[k][m] * x[k][n], as a chain of fp32 fused
// multiply-adds from +0 in ascending k, the same bits on every host; optionally added to dst with one more
// rounding. A NaN result is 0x7fc00000. Blocked over m and n only, so blocking never touches the order of a
// sum.
//
// Both operands come as panels, blocks of columns that are contiguous in the order the kernel reads them:
// panel j holds columns [j*width, (j+1)*width) as [k][width]. What the last panel holds beyond the matrix
// does not matter.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tahoma::isa {

inline constexpr std::size_t kWeightPanel =
    6;  // columns per panel of weights: 6 x 16 sums fill AVX2's registers
inline constexpr std::size_t kMovingPanel = 16;  // columns per panel of the moving operand

constexpr std::size_t panels(std::size_t columns, std::size_t width) { return (columns + width - 1) / width; }
// Floats from one panel to the next: a little more than the panel, lest a power of two make all share one
// cache set.
constexpr std::size_t panel_stride(std::size_t rows, std::size_t width) { return (rows + 1) * width; }
constexpr std::size_t panel_floats(std::size_t rows, std::size_t columns, std::size_t width) {
  return panels(columns, width) * panel_stride(rows, width);
}

// Copies n values into row k of all panels, from column `first` on; the panels together hold `rows` rows.
template <std::size_t width>
void pack(const float* values, std::size_t first, std::size_t n, std::size_t k, std::size_t rows,
          float* packed) {
  std::size_t column = first % width;
  float* at = packed + first / width * panel_stride(rows, width) + k * width;
  while (n > 0) {
    const std::size_t held = std::min(width - column, n);
    if (held == width) {
      std::copy_n(values, width, at);  // of a known length, and so without a call
    } else {
      std::copy_n(values, held, at + column);
    }
    values += held;
    n -= held;
    column = 0;
    at += panel_stride(rows, width);
  }
}

struct MatmulShape {
  std::size_t rows, columns, moving;  // K, M, N
  std::size_t weight_rows;            // rows that the weight panels hold, at least K; the first K take part
};

// Row m of dst starts at dst + m * dst_stride floats and has `moving` contiguous elements.
void matmul_panels(const MatmulShape& shape, const float* weights, const float* moving, float* dst,
                   std::ptrdiff_t dst_stride, bool accumulate);

}  // namespace tahoma::isa
