// SPDX-License-Identifier: Apache-2.0
// Replicas that exchange among each other: the same half of the same rank of every one of them is a group.
// Each has programs of its own then, and is alone among those that lie alike.
#pragma once

#include <vector>

#include "workloads/transformer/partition/replica.h"

namespace tahoma::workloads {

class Crossing {
 public:
  // At least two replicas, which outlive this.
  Crossing(const model::MachineParams& machine, const std::vector<Replica*>& replicas);

  // Its ranks are the replicas, in their order.
  runtime::collective::Communicator& communicator(std::size_t rank, std::size_t half) {
    return communicators_[rank * halves_ + half];
  }

 private:
  std::size_t halves_;
  std::vector<runtime::collective::Communicator> communicators_;  // by rank and half
};

}  // namespace tahoma::workloads
