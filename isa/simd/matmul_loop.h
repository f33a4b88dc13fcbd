// SPDX-License-Identifier: Apache-2.0
// The arithmetic of matmul passes: dst[m][n] = sum over k of w[k][m] * x[k][n], as a chain of fp32 fused
// multiply-adds from +0 in ascending k, with the same bits on every host. The sum is optionally added to dst
// with one more rounding. A NaN result is 0x7fc00000. The kernel blocks over m and n only, so blocking never
// changes the order of a sum. With sparse weights every column picks its own elements of x:
// x[selected[k][m]][n].
//
// Both operands come as panels, blocks of columns that are contiguous in the order the kernel reads them:
// panel j holds columns [j*width, (j+1)*width) as [k][width]. The contents of the last panel beyond the
// matrix do not matter, but offsets there must be 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace tahoma::isa {

inline constexpr std::size_t kWeightPanel =
    6;  // columns per panel of weights: 6 x 16 sums fill AVX2's registers
inline constexpr std::size_t kMovingPanel = 16;  // columns per panel of the moving operand

constexpr std::size_t panels(std::size_t columns, std::size_t width) { return (columns + width - 1) / width; }
// Distance between panels in floats. It exceeds the panel size, because a power-of-two stride would map all
// panels to one cache set.
constexpr std::size_t panel_stride(std::size_t rows, std::size_t width) { return (rows + 1) * width; }
constexpr std::size_t panel_floats(std::size_t rows, std::size_t columns, std::size_t width) {
  return panels(columns, width) * panel_stride(rows, width);
}

// Copies n values into row k of all panels, from column `first` on. The panels together hold `rows` rows.
template <std::size_t width, class T>
void pack(const T* values, std::size_t first, std::size_t n, std::size_t k, std::size_t rows, T* packed) {
  std::size_t column = first % width;
  T* at = packed + first / width * panel_stride(rows, width) + k * width;
  while (n > 0) {
    const std::size_t held = std::min(width - column, n);
    if (held == width) {
      std::copy_n(values, width, at);  // the length is a constant, so this compiles to moves without a call
    } else {
      std::copy_n(values, held, at + column);
    }
    values += held;
    n -= held;
    column = 0;
    at += panel_stride(rows, width);
  }
}

// Storage in which vectors never straddle cache lines. Growing it does not initialise new numbers.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheLineAllocator() = default;
  template <class U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, kLine); }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};
template <class T>
using PanelBuffer = std::vector<T, CacheLineAllocator<T>>;

// A matrix as panels: unsplit, or as fp32 halves (isa/semantics/semantics.h), whose products are exact.
// Buffers keep their storage when they are unused.
struct Halves {
  PanelBuffer<float> high;    // the numbers themselves if they are not split
  PanelBuffer<float> low;     // if has_low
  PanelBuffer<float> finite;  // unless all_finite: `high`, with +0 in place of numbers that are not finite
  bool has_low = false, all_finite = true;
  const float* mixed() const { return all_finite ? high.data() : finite.data(); }
};
// Stores the high half of each number in `high` and the low half in `low`.
void split(Halves& numbers);
// Fills `finite` for numbers that stay unsplit but are multiplied by halves.
void find_infinities(Halves& numbers);

// One pass over the contraction: panels of weights and of the moving operand.
struct Pass {
  const float* weights;
  const float* moving;
};

struct MatmulShape {
  std::size_t rows, columns, moving;  // K, M, N
  std::size_t moving_rows;            // rows in the moving panels: K, or more with sparse weights
};

// Destination of the results: row m starts at first + m * stride floats and has `moving` contiguous elements.
// Passes are added in order; the first one overwrites unless `accumulate`.
struct MatmulTarget {
  float* first;
  std::ptrdiff_t stride;
  bool accumulate;
};
void matmul_panels(const MatmulShape& shape, std::span<const Pass> passes, const MatmulTarget& target);

// One pass with sparse weights. `offsets` has panels like those of the weights; each entry is kMovingPanel
// times the row of the moving operand that the weight multiplies.
void matmul_selected(const MatmulShape& shape, const Pass& pass, const std::uint32_t* offsets,
                     const MatmulTarget& target);

}  // namespace tahoma::isa
