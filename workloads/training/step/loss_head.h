// SPDX-License-Identifier: Apache-2.0
// Behind the layers: the last norm, logits over the vocabulary, cross-entropy with the labels, and all the
// way back. Every cell does it for its own rows with the whole head, so nothing is exchanged but, later, the
// head's gradient. The loss is the mean over all rows of all replicas.
#pragma once

#include "workloads/training/step/layers.h"

namespace tahoma::workloads {

class LossHead {
 public:
  LossHead(Fleet& fleet, const TrainingParams& params, const Parameters& parameters, const RowExchange& rows);

  // Leaves the gradient of the stream behind the layers, of the last norm's gain, and of the head.
  void forward_and_back(const TrainingLayers& layers);

  void fill(const runtime::HostTensor& labels) const;
  runtime::HostTensor losses() const;  // [rows of all replicas, 1] of fp32

 private:
  struct OfRank {
    // [rows of its physical cores, hidden] and [.., vocabulary], which get their gradient.
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
  std::uint64_t first_row(const Cell& c) const;  // of all replicas' rows

  Fleet& fleet_;
  const TrainingParams& params_;
  const Parameters& parameters_;
  const RowExchange& rows_;
  std::vector<OfRank> ranks_;
};

}  // namespace tahoma::workloads
