// SPDX-License-Identifier: Apache-2.0
// The programs of a sharded GEMM on their cores, and what its sums came to. Cores whose programs are the same
// share one: those with tiles of one size, and of groups that share a contraction those of equal rank where
// the groups lie alike.
#pragma once

#include <optional>
#include <vector>

#include "runtime/collective/result/collective_result.h"
#include "workloads/gemm/kernel/gemm_layout.h"

namespace tahoma::workloads {

class GemmPrograms {
 public:
  // Loads them. Throws what gemm_program() and GemmSum::programs() throw.
  void load(runtime::Machine& machine, const GemmLayout& layout, GemmKernel nest);

  // Of the groups of equal size that use the same algorithm one entry, with all of their ranks. After the
  // run.
  std::vector<runtime::CollectiveResult> sums(const model::MachineParams& machine, const GemmLayout& layout,
                                              std::optional<bool> correct) const;

 private:
  runtime::collective::Stopwatch stopwatch_;
};

}  // namespace tahoma::workloads
