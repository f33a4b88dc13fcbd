// SPDX-License-Identifier: Apache-2.0
// The golden definition of a product of matrices, and its tolerance (runtime/golden/golden.h has the rule).
//
// n = K for inputs of 8 and 16 bits and tf32, whose products are exact in fp32, and 2 K for fp32. R is the
// range of the running sums of the element's own products. It bounds every partial sum of consecutive
// products for any blocking, and is computed from the exact element in double. Cores that share K add their
// parts in their own order: one addition each, on sums of some of the parts. If the order is independent of
// the values, the mean square of these sums is below R^2 (a random walk's range is 2.8 times its end).
//
// To compute R for every element would take minutes. A first look therefore compares with Eigen's product
// (float for 16-bit outputs, double for fp32) within slack / 6 for R estimated as |want| + |a|_4 |b|_4, where
// |x|_4 is the 4-norm of the row or column. Only elements outside this range are examined exactly. The scale
// of an element's relative error is |a|_4 |b|_4.
#pragma once

#include <cstdint>

#include "isa/core/instruction.h"
#include "runtime/golden/golden.h"

namespace tahoma::workloads {

// The epilogue of a product: activation(sum + bias) + residual, each step rounded to fp32. The slack of the
// sum grows by half a unit in the last place for each addition, by the activation's steepest slope, and by
// the units in the last place that its row of isa/table/activation_functions.h allows.
struct ProductEpilogue {
  const runtime::HostTensor* row_bias = nullptr;     // [m, 1]
  const runtime::HostTensor* column_bias = nullptr;  // [1, n]
  isa::ActFn activation = isa::ActFn::kCopy;
  const runtime::HostTensor* residual = nullptr;  // [m, n]
  bool empty() const {
    return row_bias == nullptr && column_bias == nullptr && activation == isa::ActFn::kCopy &&
           residual == nullptr;
  }
};

// c = epilogue(a b) with matrices a [m,k], b [k,n], c [m,n]. `products` is the number of products that the
// machine adds up for an element if it skips zeros of a; 0: all k. The check takes 2 m n k floating-point
// operations of Eigen's float or double product, up to two host threads and, beside its arguments, about 200
// MiB.
runtime::GoldenResult check_gemm(const runtime::HostTensor& a, const runtime::HostTensor& b,
                                 const runtime::HostTensor& c, const runtime::MadeBy& made_by,
                                 const ProductEpilogue& epilogue = {}, std::uint64_t products = 0);

}  // namespace tahoma::workloads
