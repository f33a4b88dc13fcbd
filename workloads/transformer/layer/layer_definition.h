// SPDX-License-Identifier: Apache-2.0
// The definition of a decoder layer, in double by Eigen, and the allowed deviation of a machine that rounds
// its activations.
//
//   a = x + attention(rope(norm(x) Wq), rope(norm(x) Wk), norm(x) Wv) Wo
//   y = a + (silu(norm(a) Wgate) * (norm(a) Wup)) Wdown
//
// or, for a mixture of experts, y = a + sum over a token's experts e of g_e times the same with e's matrices,
// where g is the softmax of e's columns of norm(a) Wrouter, or of all columns without normalised_gates. A
// shared expert adds the same with its own matrices, for every token, times the sigmoid of norm(a) w if it is
// gated.
//
// With biases, they are added to the three products; with norms of heads, each head of queries and keys is
// normalised before its rotation. The logits are norm(y) Whead. With post_norm, the outputs of attention and
// of the feed-forward part pass a norm of their own before they are added. The activation may be gelu instead
// of silu, and scores and logits may be capped.
//
// The norms in front of the sublayers may be layer norms, or missing. In parallel layers the second part has
// norm(x), maybe by a norm of its own. Without a gate its hidden features are activation(norm(a) Wup).
//
// With activations in fp8 the rows norm(x), the outputs of attention, norm(a) and the hidden features are
// rounded to that type before their product.
//
// Allowed error: that of noisy.h, element by element, with the deviations of runtime/golden/golden_rule.h.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "runtime/golden/golden.h"
#include "workloads/transformer/layer/layer_weights.h"
#include "workloads/transformer/layer/noisy.h"

namespace tahoma::workloads {

// Roundings of the partial sums that ranks, or parts of the keys, add up in the two parts of a layer.
struct PartialRoundings {
  double attention = 0, mlp = 0;
  bool absorbed = false;  // latent attention of a decoding step (latent/latent_definition.h)
  std::uint64_t tokens =
      0;  // of a sequence, without padding; 0: all. Others are seen by no query of an encoder
};

// Keys and values that precede the sequence's own: [context, kv_heads head_dim] each, or empty. Of latent
// attention k has the latent vectors and the rotated features.
struct Cache {
  Rows k, v;
};

// The k-th expert of a row of the sequence.
using ChosenExpert = std::function<std::uint64_t(std::uint64_t row, std::uint64_t k)>;

Rows matrix_of(const runtime::HostTensor& tensor);

// Applies a layer in place to the stream of one sequence, whose first token is at the position of the cache's
// end.
void apply_layer(const ModelShape& model, const HostWeights& weights, const PartialRoundings& roundings,
                 const Cache& cache, Noisy& stream, const ChosenExpert& chosen = {});

// The logits of rows of the last layer's stream.
Noisy logits_of(const ModelShape& model, const HostVocabulary& vocabulary, const Noisy& stream);

runtime::WantedRow wanted_row(const Noisy& stream, std::uint64_t row);

}  // namespace tahoma::workloads
