// SPDX-License-Identifier: Apache-2.0
// Dense row-major matrices of double for golden definitions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/run/inputs.h"
#include "workloads/common/host_products.h"

namespace tahoma::workloads {

using Doubles = std::vector<double>;

// Returns the elements of `window`, widened through fp32.
inline Doubles doubles_of(const runtime::HostTensor& tensor, const runtime::Window& window) {
  std::vector<float> narrow(window.rows * window.columns);
  runtime::widen_window(tensor, window, narrow.data());
  return Doubles(narrow.begin(), narrow.end());
}

// a b with a [m, k] and b [k, n]; k follows from the size of a.
inline Doubles product(const Doubles& a, const Doubles& b, std::uint64_t m, std::uint64_t n) {
  Doubles c(m * n);
  host_products().product_f64(a.data(), b.data(), c.data(), static_cast<std::ptrdiff_t>(m),
                              static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(a.size() / m));
  return c;
}

// Returns the largest Euclidean norm of a row.
inline double largest_norm(const Doubles& matrix, std::uint64_t columns) {
  double largest = 0;
  for (std::size_t at = 0; at < matrix.size(); at += columns) {
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += matrix[at + c] * matrix[at + c];
    largest = std::max(largest, sum);
  }
  return std::sqrt(largest);
}

}  // namespace tahoma::workloads
