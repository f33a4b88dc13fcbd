// SPDX-License-Identifier: Apache-2.0
// The definition of a decoder layer, in double by Eigen, and how far a machine that rounds its activations
// may lie from it.
//
//   a = x + attention(rope(norm(x) Wq), rope(norm(x) Wk), norm(x) Wv) Wo
//   y = a + (silu(norm(a) Wgate) * (norm(a) Wup)) Wdown
//
// or, of a mixture of experts, y = a + sum over a token's experts e of g_e times the same with e's matrices,
// g being the softmax of e's columns of norm(a) Wrouter.
//
// Allowed error. Beside values, each row carries the standard deviation of its error, as a share of its root
// mean square. Roundings to the activations' dtype are taken as independent and uniform: R of them on the way
// through a part add R u^2 / 3 to the variance, and what the row had already counts twice, because the part
// multiplies two things made of it (queries with keys, gate with up). Six deviations are allowed
// (runtime/golden/golden_rule.h).
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "runtime/golden/golden.h"
#include "workloads/transformer/layer/layer_weights.h"

namespace tahoma::workloads {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows of one sequence each with its keys; and, by row, the variance of its error.
struct Stream {
  Rows x;
  Eigen::VectorXd variance;
};

// How often activations are rounded on the way through the two parts of a layer, sums over ranks included.
struct Roundings {
  double attention = 0, mlp = 0;
};

// Keys and values that stand in front of the sequence's own: [context, kv_heads head_dim] each, or empty.
struct Cache {
  Rows k, v;
};

// The k-th expert of a row of the sequence.
using ChosenExpert = std::function<std::uint64_t(std::uint64_t row, std::uint64_t k)>;

Rows matrix_of(const runtime::HostTensor& tensor);

// A layer on one sequence, whose first token has the position of the cache's end; in place.
void apply_layer(const ModelShape& model, const HostWeights& weights, const Roundings& roundings,
                 const Cache& cache, Stream& stream, const ChosenExpert& chosen = {});

// Rows of `got` beside the stream's; row 0 of the stream is row `first` of got.
runtime::WantedRow wanted_row(const Stream& stream, std::uint64_t row);

}  // namespace tahoma::workloads
