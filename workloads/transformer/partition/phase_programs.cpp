// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/phase_programs.h"

#include "workloads/transformer/experts/experts.h"

namespace tahoma::workloads {

PhasePrograms::PhasePrograms(Replica& replica, const TransformerParams& params, const Station& station)
    : replica_(replica), params_(params), station_(station), share_(params, replica.physical_cores()) {}

PhasePrograms::~PhasePrograms() = default;

void PhasePrograms::add_experts(const ExpertRouting* routing, std::size_t slices, const RowsOfSlice& rows) {
  if (routing != nullptr)
    experts_ = std::make_unique<Experts>(replica_, params_, *routing, layer_number(0), slices, rows,
                                         [this](Exchange exchange) { keep(std::move(exchange)); });
}

void PhasePrograms::finish(std::size_t microbatch, const RowsOf& rows) {
  if (params_.parallel.pipeline == 1) return;
  replica_.each("hand-over", [&](std::size_t r, std::size_t h) {
    const runtime::HbmView of_core = rows(r, h);
    if (of_core.rows == 0) return;
    runtime::collective::CoreProgram& program = replica_.program(r, h);
    program.kernel.wait(Handover::kQueue, of_core);
    done_.push_back({microbatch, r, h, program.mark(Handover::kQueue)});
    if (station_.behind != nullptr) station_.behind->send(r, h, of_core, done_.back().mark);
  });
}

}  // namespace tahoma::workloads
