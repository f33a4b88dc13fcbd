// SPDX-License-Identifier: Apache-2.0
// The last norm and the logits of some rows of the residual stream on the ranks of a group. Every physical
// core of a rank normalises all of these rows and computes its own columns of the logits, in fp32. Columns
// are padded to equal whole accesses of HBM; the padding is zero and is not part of the result.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "workloads/transformer/layer/layer_weights.h"
#include "workloads/transformer/layer/parts.h"

namespace tahoma::workloads {

class Logits {
 public:
  // Computes the last tokens of the sequences of a microbatch.
  Logits(Replica& replica, const TransformerParams& params);

  // The last layer's stream, [sequences of a microbatch, hidden]: the sum of both.
  struct Stream {
    runtime::HbmView x;
    std::optional<runtime::HbmView> add;
  };
  using StreamOf = std::function<Stream(std::size_t rank, std::size_t physical_core)>;
  void emit(std::size_t microbatch, const StreamOf& stream);
  // The columns of a physical core, with their padding.
  const runtime::HbmView& columns(std::size_t microbatch, std::size_t rank, std::size_t physical_core) const {
    return cores_[core(rank, physical_core)].logits[microbatch].of(physical_core);
  }

  void fill(runtime::Machine& machine, const HostVocabulary& values) const;
  // Collects them into [sequences of the case, vocabulary].
  void gather(runtime::Machine& machine, runtime::HostTensor& out) const;

 private:
  struct OfCore {
    Matrix weights, normed;
    Matrix bias;                 // of the logits, if the model has one
    std::vector<Matrix> logits;  // by microbatch
  };
  std::size_t core(std::size_t rank, std::size_t physical_core) const {
    return rank * replica_.physical_cores() + physical_core;
  }
  runtime::Part columns_of(std::size_t rank, std::size_t physical_core) const;

  Replica& replica_;
  const TransformerParams& params_;
  std::uint64_t width_;                 // columns of a physical core
  std::vector<Matrix> gains_, biases_;  // by rank; no views if norms have no bias
  std::vector<OfCore> cores_;           // by rank and physical core
};

}  // namespace tahoma::workloads
