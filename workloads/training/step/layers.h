// SPDX-License-Identifier: Apache-2.0
// The layers of a training step on all ranks, forward and backward. Between products each cell has its own
// rows of the stream. A product needs all rows, which are gathered, and its partial sums are scattered again
// (token_rows.h). The backward pass exchanges the two: the gradient of a sum is gathered, and that of
// gathered rows is scattered.
//
//   forward   normed = norm(stream)        middle = stream + attention(normed Wqkv) Wo
//             normed_mlp = norm(middle)    next   = middle + (silu(gate) * up) Wdown
//   backward  dmiddle = dnext + norm'(...), dstream = dmiddle + norm'(...)
//
// A physical core computes the gradient of a product's input before that of its weights (update.h gives the
// reason).
#pragma once

#include "workloads/training/step/backward_parts.h"
#include "workloads/training/step/rope_tables.h"
#include "workloads/training/step/tape.h"
#include "workloads/training/step/trained_tensors.h"

namespace tahoma::workloads {

class TrainingLayers {
 public:
  TrainingLayers(Fleet& fleet, const TrainingParams& params, const Parameters& parameters,
                 const RowExchange& rows);

  // The micro-batch to which the following calls refer.
  void begin(std::size_t microbatch) { microbatch_ = microbatch; }
  // Call it layer by layer; afterwards stream(layer + 1) is complete.
  void forward(std::size_t layer);
  // Backward, from the last layer; requires gradient(layer + 1). Produces the contribution of the rank's rows
  // to the gradients of the layer's parameters, and gradient(layer).
  void backward(std::size_t layer);

  // The stream before a layer, or after the last one: a cell's own rows.
  runtime::HbmView stream(const Cell& c, std::size_t layer) const;
  // Returns the gradient of that stream.
  const TokenRows& gradient(const Cell& c, std::size_t layer) const {
    return gradients_of_stream_[microbatch_][layer][fleet_.rank_number(c)];
  }
  // The tensors of the first and of the last stream.
  const Matrix& stream_tensor(const Cell& c, std::size_t layer) const {
    return streams_[microbatch_][layer][fleet_.number(c)];
  }

  // The stream before the first layer is an input of the step.
  void declare_inputs() const;
  void fill_tables(const TrainingCase& values) const { tables_.fill(values.table); }
  void fill(const TrainingCase& values) const;

 private:
  LayerPart part(const Cell& c) { return {fleet_.kernel(c), fleet_.machine().params(), params_.model()}; }
  BackwardPart back(const Cell& c) { return {fleet_.kernel(c), fleet_.machine().params(), params_.model()}; }
  LayerTape& tape(const Cell& c) { return tapes_[fleet_.rank_number(c)]; }
  LayerGradients& back_tape(const Cell& c) { return gradients_[fleet_.rank_number(c)]; }
  runtime::HbmView core_columns(const Matrix& matrix, const Cell& c) {
    return fleet_.replica(c).core_columns(matrix.of(c.physical_core), c.physical_core);
  }
  // Returns, for weights [inputs, outputs], the physical core's inputs.
  runtime::HbmView core_rows(const Matrix& matrix, const Cell& c) const;
  runtime::HbmView sequence(const Matrix& matrix, const Cell& c, std::uint64_t number) const;
  // Calls body(products of the layer on a replica, its first rank) for each.
  template <class Body>
  void products(std::size_t layer, Body&& body);
  template <class Body>
  void each(const std::string& region, Body&& body) {
    fleet_.region(region);
    fleet_.each(body);
  }
  using Which = std::function<const Matrix&(const Cell& rank)>;
  void synchronise_columns(const Which& which);
  void add_gradient(const Cell& c, std::size_t layer, Matrix LayerWeights::*product,
                    const runtime::HbmView& a, const runtime::HbmView& dc);

  void remember(std::size_t layer);
  void attention();
  void rope(const Cell& c, const Matrix& matrix, const runtime::Part& heads, const runtime::HbmView& table);
  void back_through_mlp(std::size_t layer);
  void back_through_projection(std::size_t layer);
  void back_through_attention();
  void back_through_heads(std::size_t layer);

  Fleet& fleet_;
  const TrainingParams& params_;
  const Parameters& parameters_;
  const RowExchange& rows_;
  RopeTables tables_;
  std::size_t microbatch_ = 0;
  // The streams are indexed by micro-batch, layer and cell or rank.
  std::vector<std::vector<std::vector<Matrix>>> streams_;
  std::vector<std::vector<std::vector<TokenRows>>> gradients_of_stream_;
  std::vector<std::vector<std::vector<LayerTape>>> kept_;  // unless they are recomputed
  std::vector<LayerTape> tapes_;                           // of the current layer, by rank
  std::vector<LayerGradients> gradients_;
};

}  // namespace tahoma::workloads
