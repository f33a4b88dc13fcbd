// SPDX-License-Identifier: Apache-2.0
// The definition of a decoder layer, in double by Eigen, and the allowed deviation of a machine that rounds
// its activations.
//
//   a = x + attention(rope(norm(x) Wq), rope(norm(x) Wk), norm(x) Wv) Wo
//   y = a + (silu(norm(a) Wgate) * (norm(a) Wup)) Wdown
//
// or, for a mixture of experts, y = a + sum over a token's experts e of g_e times the same with e's matrices,
// where g is the softmax of e's columns of norm(a) Wrouter.
//
// Allowed error. In addition to values, each row carries the standard deviation of its error, as a share of
// its root mean square. Roundings to the activations' dtype are taken as independent and uniform: R of them
// along a part add R u^2 / 3 to the variance. The row's previous error counts twice, because the part
// multiplies two values derived from it (queries with keys, gate with up). Six deviations are allowed
// (runtime/golden/golden_rule.h).
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "runtime/golden/golden.h"
#include "workloads/transformer/layer/layer_weights.h"

namespace tahoma::workloads {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows of one sequence with its keys, and the variance of the error by row.
struct Stream {
  Rows x;
  Eigen::VectorXd variance;
};

// Number of roundings of activations in the two parts of a layer, sums over ranks included.
struct Roundings {
  double attention = 0, mlp = 0;
};

// Keys and values that precede the sequence's own: [context, kv_heads head_dim] each, or empty.
struct Cache {
  Rows k, v;
};

// The k-th expert of a row of the sequence.
using ChosenExpert = std::function<std::uint64_t(std::uint64_t row, std::uint64_t k)>;

Rows matrix_of(const runtime::HostTensor& tensor);

// Applies a layer in place to one sequence, whose first token is at the position of the cache's end.
void apply_layer(const ModelShape& model, const HostWeights& weights, const Roundings& roundings,
                 const Cache& cache, Stream& stream, const ChosenExpert& chosen = {});

// Pairs rows of `got` with the stream's; row 0 of the stream is row `first` of got.
runtime::WantedRow wanted_row(const Stream& stream, std::uint64_t row);

}  // namespace tahoma::workloads
