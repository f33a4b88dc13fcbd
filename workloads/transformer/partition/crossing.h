// SPDX-License-Identifier: Apache-2.0
// Replicas that exchange among each other: the same physical core of the same rank of every one of them is a
// group. Each has programs of its own then, and is alone among those that lie alike.
#pragma once

#include <vector>

#include "workloads/transformer/partition/replica.h"

namespace tahoma::workloads {

class Crossing {
 public:
  // At least two replicas, which outlive this.
  Crossing(const model::MachineParams& machine, const std::vector<Replica*>& replicas);

  // Its ranks are the replicas, in their order.
  runtime::collective::Communicator& communicator(std::size_t rank, std::size_t physical_core) {
    return communicators_[rank * physical_cores_ + physical_core];
  }

 private:
  std::size_t physical_cores_;
  std::vector<runtime::collective::Communicator> communicators_;  // by rank and physical core
};

}  // namespace tahoma::workloads
