// SPDX-License-Identifier: Apache-2.0
// Computes the new weights of one tensor on all ranks from the gradients of all ranks. Each physical core of
// a rank sums its part of the rows over the replicas by reduce_scatter (for a tensor that all ranks have,
// first over the ranks). It updates its shard by AdamW (in fp32; only it has the moments and master weights
// of the shard). An all_gather then distributes the weights.
//
// The new weights replace the old ones in place. A sender of new weights has received this core's gradient of
// the tensor, and a physical core computes the gradient of its rows after its last use of them; a rendezvous
// orders the other physical core's use of these rows.
#pragma once

#include "workloads/training/step/trained_tensors.h"

namespace tahoma::workloads {

class Update {
 public:
  Update(Fleet& fleet, const AdamSettings& adam, Trained trained);

  void sum();
  void step();
  void spread();

  // In functional mode, before the run: sets the master weights from the weights, and the moments to zero.
  void fill();
  // After the run: a rank's tensor, assembled from the shards of all cells, in fp32.
  runtime::HostTensor gradient(std::size_t rank) const;
  runtime::HostTensor master(std::size_t rank) const { return together(rank, master_); }
  const Trained& trained() const { return trained_; }

 private:
  // Whether its gradient is summed over several cells; if not, a physical core's rows are its shard.
  bool shared() const { return !chain_.empty(); }
  std::uint64_t rows() const { return trained_.weight.front().tensor.shape[0]; }
  std::uint64_t columns() const { return trained_.weight.front().tensor.shape[1]; }
  isa::DType dtype() const { return trained_.weight.front().tensor.dtype; }
  // Returns a physical core's elements after that many exchanges of the chain.
  std::uint64_t elements(std::size_t exchanges) const;
  std::uint64_t first_element(const Cell& c) const;  // of its shard in its rank's tensor

  // By cell, one step of the chain.
  using Pieces = std::vector<Matrix>;
  Pieces make(const char* name, isa::DType dtype, std::size_t exchanges) const;
  runtime::collective::End end_of(const Pieces& pieces, const Cell& c, std::uint64_t places) const;
  // Returns a physical core's rows of a tensor of its rank.
  runtime::collective::End core_end(const std::vector<Matrix>& matrices, const Cell& c,
                                    std::uint64_t places) const;
  runtime::HbmView core_view(const std::vector<Matrix>& matrices, const Cell& c) const;
  runtime::HostTensor together(std::size_t rank, const Pieces& shards) const;

  Fleet& fleet_;
  AdamSettings adam_;
  Trained trained_;
  std::vector<Across> chain_;
  Pieces gradient_, master_, first_, second_;  // shards; the gradient's only if it is shared
  Pieces copy_;                                // likewise, in the weights' dtype
};

}  // namespace tahoma::workloads
