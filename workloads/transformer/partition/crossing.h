// SPDX-License-Identifier: Apache-2.0
// Replicas that exchange data: the same physical core of the same rank of all of them forms a group. Then
// each replica has its own programs, and shares them with no other.
#pragma once

#include <vector>

#include "workloads/transformer/partition/replica.h"

namespace tahoma::workloads {

class Crossing {
 public:
  // At least two replicas, which outlive this object.
  Crossing(const model::MachineParams& machine, const std::vector<Replica*>& replicas);

  // The ranks of a group are the replicas, in their order.
  runtime::collective::Communicator& communicator(std::size_t rank, std::size_t physical_core) {
    return communicators_[rank * physical_cores_ + physical_core];
  }

 private:
  std::size_t physical_cores_;
  std::vector<runtime::collective::Communicator> communicators_;  // by rank and physical core
};

}  // namespace tahoma::workloads
