// SPDX-License-Identifier: Apache-2.0
// The programs of a sharded GEMM on their cores, and the results of its sums. Cores with identical programs
// share one: those with tiles of one size and, among groups that share a contraction, those of equal rank if
// the groups are placed alike.
#pragma once

#include <optional>
#include <vector>

#include "runtime/collective/result/collective_result.h"
#include "workloads/gemm/kernel/gemm_layout.h"

namespace tahoma::workloads {

class GemmPrograms {
 public:
  // Loads the programs. Throws what gemm_program() and GemmSum::programs() throw.
  void load(runtime::Machine& machine, const GemmLayout& layout, GemmNest nest);

  // One entry for all groups of equal size that use the same algorithm, with all of their ranks. Call it
  // after the run.
  std::vector<runtime::CollectiveResult> sums(const model::MachineParams& machine, const GemmLayout& layout,
                                              std::optional<bool> correct) const;

 private:
  runtime::collective::Stopwatch stopwatch_;
};

}  // namespace tahoma::workloads
