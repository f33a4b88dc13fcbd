// SPDX-License-Identifier: Apache-2.0
// The definition of a decoding step, in double and by whole rows: o = softmax(q k^T / sqrt(d)) v over the
// first `length` tokens of each sequence's cache.
//
// Tolerance. Probabilities p are rounded to the dtype, in the numerator and in the sum alike: k u sqrt(sum
// p^2 (v - o)^2 / 3), and never more than u sum p |v - o|. A subnormal p has the error of the smallest normal
// p; the largest p is 1 before the division by their sum. Errors that all probabilities may share count in
// full, times sum p |v|: those of a score (a dot product of d terms), of its shift and scaling (4 * 2^-24 of
// the largest score), of exponential and quotient (16 * 2^-24), of one update of the maximum per block, and
// of two sums of `length` terms.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

struct DecodeTensors {
  const runtime::HostTensor &q, &k, &v,
      &o;  // q, o [kv_heads, sequences, group, d]; the elements of o are the first ones of v
  const runtime::HostTensor* table = nullptr;  // paged: k and v [kv_heads, pages, page, d];
  std::vector<std::uint64_t> lengths;          // else [kv_heads, sequences, capacity, d]
};

runtime::GoldenResult check_decode(const DecodeTensors& tensors, const runtime::MadeBy& made_by);

}  // namespace tahoma::workloads
