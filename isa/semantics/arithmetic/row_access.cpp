// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/row_access.h"

#include <cstring>

#include "isa/simd/convert_loop.h"

namespace tahoma::isa {
namespace {

bool contiguous(std::ptrdiff_t step, DType dtype) {
  return step == static_cast<std::ptrdiff_t>(size_of(dtype));
}

bool usable_in_place(const std::byte* at, std::ptrdiff_t step, DType dtype) {
  return dtype == DType::kFp32 && contiguous(step, dtype) &&
         reinterpret_cast<std::uintptr_t>(at) % alignof(float) == 0;
}

bool has_row_loop(const std::byte* at, std::ptrdiff_t step, DType dtype) {
  return has_row_conversion(dtype) && contiguous(step, dtype) &&
         reinterpret_cast<std::uintptr_t>(at) % size_of(dtype) == 0;
}

void gather(const std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; ++i, at += step) out[i] = load_as_fp32(at, dtype);
}

void scatter(std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n, const float* values,
             Rounding* rounding) {
  for (std::size_t i = 0; i < n; ++i, at += step) store_rounded(at, dtype, values[i], rounding);
}

template <std::size_t size>
void copy_elements(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step,
                   std::size_t n) {
  std::array<std::byte, size> element;
  for (std::size_t i = 0; i < n; ++i, to += to_step, from += from_step) {
    std::memcpy(element.data(), from, size);
    std::memcpy(to, element.data(), size);
  }
}

}  // namespace

const float* load_dense_row(const std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n,
                            ScratchRow& scratch) {
  if (usable_in_place(at, step, dtype)) return reinterpret_cast<const float*>(at);
  if (has_row_loop(at, step, dtype)) {
    widen_row(dtype, at, scratch.value.data(), n);
  } else {
    gather(at, step, dtype, n, scratch.value.data());
  }
  return scratch.value.data();
}

Row load_row(const std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n, ScratchRow& scratch) {
  if (step != 0) return dense_row(load_dense_row(at, step, dtype, n, scratch));
  const float value = load_as_fp32(at, dtype);
  for (std::size_t i = 0; i < kRepeats; ++i) scratch.value[i] = value;
  return {scratch.value.data(), 0};
}

float* result_row(std::byte* at, std::ptrdiff_t step, DType dtype, ScratchRow& scratch) {
  return usable_in_place(at, step, dtype) ? reinterpret_cast<float*>(at) : scratch.value.data();
}

void store_row(std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n, const float* values,
               Rounding* rounding) {
  if (usable_in_place(at, step, dtype)) {
    if (reinterpret_cast<const std::byte*>(values) != at) std::memmove(at, values, n * sizeof(float));
  } else if (has_row_loop(at, step, dtype)) {
    narrow_row(dtype, values, at, n, rounding);
  } else {
    scatter(at, step, dtype, n, values, rounding);
  }
}

void copy_row(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step,
              std::size_t size, std::size_t n) {
  const auto dense = static_cast<std::ptrdiff_t>(size);
  if (to_step == dense && from_step == dense) {
    std::memmove(to, from, size * n);
  } else if (size == 1) {
    copy_elements<1>(to, to_step, from, from_step, n);
  } else if (size == 2) {
    copy_elements<2>(to, to_step, from, from_step, n);
  } else {
    copy_elements<4>(to, to_step, from, from_step, n);
  }
}

}  // namespace tahoma::isa
