// SPDX-License-Identifier: Apache-2.0
// The GEMM's declared arithmetic in plain loops, exact to the last bit: blocks of `rows` in ascending k, each
// with the arithmetic of one matmul instruction (tests/support/reference/reference_matmul.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "isa/core/dtype.h"
#include "tests/support/reference/reference_matmul.h"

namespace tahoma::tests {

// Values in [-1, 1) rounded to the dtype, as fp32.
inline std::vector<float> random_values(std::size_t count, isa::DType dtype, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& v : values) {
    std::byte raw[4];
    isa::store_from_fp32(raw, dtype, static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-31F);
    v = isa::load_as_fp32(raw, dtype);
  }
  return values;
}

inline void store_all(std::byte* at, const std::vector<float>& values, isa::DType dtype) {
  for (std::size_t i = 0; i < values.size(); ++i)
    isa::store_from_fp32(at + i * isa::size_of(dtype), dtype, values[i]);
}

inline std::vector<float> load_all(const std::byte* at, std::size_t count, isa::DType dtype) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = isa::load_as_fp32(at + i * isa::size_of(dtype), dtype);
  return values;
}

// One element: a [k, m] (transposed), b [k, n], contraction over [from, to).
inline float reference_element(const std::vector<float>& a, std::size_t m, const std::vector<float>& b,
                               std::size_t n, std::size_t row, std::size_t column, std::size_t from,
                               std::size_t to, std::size_t rows, isa::DType dtype) {
  float total = 0;
  for (std::size_t first = from; first < to; first += rows) {
    test::ProductTerms terms;
    for (std::size_t k = first; k < std::min(to, first + rows); ++k) {
      terms.weights.push_back(a[k * m + row]);
      terms.moving.push_back(b[k * n + column]);
    }
    terms.weights_have_low = terms.moving_has_low = dtype == isa::DType::kFp32;
    total = dtype == isa::DType::kFp32 ? test::matmul_element_in_passes(terms, first != from, total)
                                       : test::matmul_element(terms, first != from, total);
  }
  return total;
}

inline float rounded(float value, isa::DType dtype) {
  std::byte raw[4];
  isa::store_from_fp32(raw, dtype, value);
  return isa::load_as_fp32(raw, dtype);
}

}  // namespace tahoma::tests
