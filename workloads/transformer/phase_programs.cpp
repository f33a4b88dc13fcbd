// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/phase_programs.h"

namespace tahoma::workloads {

void PhasePrograms::finish(std::size_t microbatch, std::size_t rank, std::size_t half,
                           const runtime::HbmView& rows) {
  if (params_.parallel.pipeline == 1) return;
  runtime::collective::CoreProgram& program = replica_.program(rank, half);
  program.kernel.wait(Handover::kQueue, rows);
  done_.push_back({microbatch, rank, half, program.mark(Handover::kQueue)});
  if (station_.behind != nullptr) station_.behind->send(rank, half, rows, done_.back().mark);
}

}  // namespace tahoma::workloads
