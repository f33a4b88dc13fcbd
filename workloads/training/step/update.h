// SPDX-License-Identifier: Apache-2.0
// From the gradients that all ranks have made of one tensor to its new weights on all of them: each physical
// core of a rank sums its part of the rows over the replicas (a tensor that all ranks have: over
// these first) by reduce_scatter, updates what it is left with by AdamW (fp32, moments and master weights
// there and nowhere else), and its weights go back by all_gather.
//
// The new weights take the old ones' place. Whoever sends them has had this core's gradient of the
// tensor, and a physical core makes the gradient of its rows behind its last use of them; what the other
// physical core needs of these rows is behind a meeting.
#pragma once

#include "workloads/training/step/trained_tensors.h"

namespace tahoma::workloads {

class Update {
 public:
  Update(Fleet& fleet, const AdamSettings& adam, Trained trained);

  void sum();
  void step();
  void spread();

  // In functional mode, before the run: master weights from the weights, moments zero.
  void fill();
  // After it: what a rank's tensor has become, put together from all cells' shards, in fp32.
  runtime::HostTensor gradient(std::size_t rank) const;
  runtime::HostTensor master(std::size_t rank) const { return together(rank, master_); }
  const Trained& trained() const { return trained_; }

 private:
  // Its gradient is summed over several cells; if not, a physical core's rows are its shard.
  bool shared() const { return !chain_.empty(); }
  std::uint64_t rows() const { return trained_.weight.front().tensor.shape[0]; }
  std::uint64_t columns() const { return trained_.weight.front().tensor.shape[1]; }
  isa::DType dtype() const { return trained_.weight.front().tensor.dtype; }
  // A physical core's elements when so many of the exchanges of the chain have been made.
  std::uint64_t elements(std::size_t exchanges) const;
  std::uint64_t first_element(const Cell& c) const;  // of its shard in its rank's tensor

  // By cell, one step of the chain.
  using Pieces = std::vector<Matrix>;
  Pieces make(const char* name, isa::DType dtype, std::size_t exchanges) const;
  runtime::collective::End end_of(const Pieces& pieces, const Cell& c, std::uint64_t places) const;
  // A physical core's rows of a tensor of its rank.
  runtime::collective::End core_end(const std::vector<Matrix>& matrices, const Cell& c,
                                    std::uint64_t places) const;
  runtime::HbmView core_view(const std::vector<Matrix>& matrices, const Cell& c) const;
  runtime::HostTensor together(std::size_t rank, const Pieces& shards) const;

  Fleet& fleet_;
  AdamSettings adam_;
  Trained trained_;
  std::vector<Across> chain_;
  Pieces gradient_, master_, first_, second_;  // shards, the gradient's if it is shared
  Pieces copy_;                                // likewise, in the weights' dtype
};

}  // namespace tahoma::workloads
