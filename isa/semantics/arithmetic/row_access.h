// SPDX-License-Identifier: Apache-2.0
// Moves rows between a memory and the engines' fp32, with any dtype and element stride. Contiguous fp32 is
// used in place; everything else passes through a scratch row.
#pragma once

#include <array>
#include <cstddef>

#include "isa/core/rounding.h"
#include "isa/simd/row_loop.h"

namespace tahoma::isa {

inline constexpr std::size_t kScratch =
    512;  // longest piece of a row, in elements: 2 KiB fit in the L1 cache
struct alignas(64) ScratchRow {
  std::array<float, kScratch> value;
};

// Returns n <= kScratch elements, `step` bytes apart, as fp32. A step of 0 repeats one number.
Row load_row(const std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n, ScratchRow& scratch);
// Like load_row, but the numbers are always contiguous.
const float* load_dense_row(const std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n,
                            ScratchRow& scratch);

// Returns where to compute a row whose destination is `at`: `at` itself if it is contiguous fp32, otherwise
// the scratch row. Pass the result to store_row, which converts and scatters what is not yet in place. A null
// rounding means to nearest even; any other advances by n if the dtype rounds stochastically.
float* result_row(std::byte* at, std::ptrdiff_t step, DType dtype, ScratchRow& scratch);
void store_row(std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n, const float* values,
               Rounding* rounding = nullptr);

// Copies the bits of n elements of `size` bytes.
void copy_row(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step,
              std::size_t size, std::size_t n);

}  // namespace tahoma::isa
