// SPDX-License-Identifier: Apache-2.0
// Rows between a memory and the engines' fp32: any dtype, any distance between elements. Contiguous fp32 is
// used where it lies; everything else passes through a scratch row.
#pragma once

#include <array>
#include <cstddef>

#include "isa/core/rounding.h"
#include "isa/simd/row_kernel.h"

namespace tahoma::isa {

inline constexpr std::size_t kScratch =
    512;  // longest piece of a row, in elements: 2 KiB stay in the fastest cache
struct alignas(64) ScratchRow {
  std::array<float, kScratch> value;
};

// n <= kScratch elements, `step` bytes apart, as fp32. A step of 0 gives a repeated number.
Row load_row(const std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n, ScratchRow& scratch);
// The same, always as n numbers in sequence.
const float* load_dense_row(const std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n,
                            ScratchRow& scratch);

// Where to compute a row that ends at `at`: there if it is contiguous fp32, else in the scratch. Hand the
// result to store_row, which converts and scatters what is not in place yet. A null rounding is to nearest
// even; any other moves on by n if the dtype rounds stochastically.
float* result_row(std::byte* at, std::ptrdiff_t step, DType dtype, ScratchRow& scratch);
void store_row(std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n, const float* values,
               Rounding* rounding = nullptr);

// Bits of n elements of `size` bytes.
void copy_row(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step,
              std::size_t size, std::size_t n);

}  // namespace tahoma::isa
