// SPDX-License-Identifier: Apache-2.0
// Chooses the algorithm of the partial sums. A sum begins while its tile is still computed, so `best` is the
// algorithm with which the GEMM ends first: trials (runtime/collective/cost/trial.h) run it on the chips of a group
// and its neighbours. Other groups have neither memory nor cores in common with them.
#pragma once

#include <map>
#include <string>

#include "runtime/collective/cost/choice.h"
#include "workloads/gemm/kernel/gemm_layout.h"

namespace tahoma::workloads {

class GemmChoice {
 public:
  // `groups`: those of gemm_groups(). All arguments must outlive the object.
  GemmChoice(const model::MachineParams& machine, const GemmShape& shape, const runtime::Shard& shard,
             const std::vector<GemmGroup>& groups)
      : machine_(machine), shape_(shape), shard_(shard), groups_(groups) {}

  runtime::collective::Choice of(const GemmGroup& group, runtime::collective::Algorithm algorithm,
                                 GemmNest nest);

 private:
  std::vector<GemmGroup> neighbours_of(const GemmGroup& group) const;
  std::optional<runtime::collective::Trial> attempt(const std::vector<GemmGroup>& groups,
                                                    const runtime::collective::AlgorithmRow& algorithm,
                                                    GemmNest nest, base::Duration limit) const;

  const model::MachineParams& machine_;
  const GemmShape& shape_;
  const runtime::Shard& shard_;
  const std::vector<GemmGroup>& groups_;
  std::map<std::string, runtime::collective::Choice> choices_;  // by what they depend on
};

}  // namespace tahoma::workloads
