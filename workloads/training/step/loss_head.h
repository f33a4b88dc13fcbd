// SPDX-License-Identifier: Apache-2.0
// The end of the model: the last norm, logits over the vocabulary, cross-entropy with the labels, and their
// backward pass. Every cell computes it for its own rows with the whole head, so nothing is exchanged except
// the head's gradient, later. The loss is the mean over all rows of all replicas.
#pragma once

#include "workloads/training/step/layers.h"

namespace tahoma::workloads {

class LossHead {
 public:
  // An object handles one micro-batch.
  LossHead(Fleet& fleet, const TrainingParams& params, const Parameters& parameters, const RowExchange& rows,
           std::size_t microbatch);

  // Computes the gradient of the stream after the layers, of the last norm's gain, and of the head.
  void forward_and_back(const TrainingLayers& layers);

  void fill(const runtime::HostTensor& labels) const;
  void collect(runtime::HostTensor& losses) const;  // [rows of the case, 1] of fp32

 private:
  struct OfRank {
    // [rows of its physical cores, hidden] and [.., vocabulary]; the gradient replaces the latter.
    Matrix normed, logits;
    struct CoreTensors {
      Matrix labels, starts, places, loss, part, normed_gradient;
    };
    std::vector<CoreTensors> core_tensors;
  };
  OfRank make(const Cell& rank) const;
  const OfRank& of(const Cell& c) const { return ranks_[fleet_.rank_number(c)]; }
  runtime::HbmView rows_of_core(const Matrix& matrix, const Cell& c) const;
  void loss(const Cell& c);
  void add_gradient(const Cell& c);

  Fleet& fleet_;
  const TrainingParams& params_;
  const Parameters& parameters_;
  const RowExchange& rows_;
  std::size_t microbatch_;
  std::vector<OfRank> ranks_;
};

}  // namespace tahoma::workloads
