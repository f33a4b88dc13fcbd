// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/boundary.h"

namespace tahoma::workloads {

Boundary::Boundary(Fleet& from, Fleet& to) : from_(from), to_(to) {
  for (std::size_t g = 0; g < from.replicas(); ++g)
    of_replica_.push_back(std::make_unique<Handover>(from.replica({g, 0, 0}), to.replica({g, 0, 0})));
}

void Boundary::expect(const RowsOf& rows) {
  to_.each([&](const Cell& c) {
    const OwnRows there = rows(c);
    of_replica_[c.replica]->expect(c.rank, c.physical_core, *there.tensor, there.rows);
  });
}

void Boundary::send(const RowsOf& rows) {
  from_.region("hand-over");
  from_.each([&](const Cell& c) {
    const runtime::HbmView own = rows(c).rows;
    runtime::collective::CoreProgram& program = from_.replica(c).program(c.rank, c.physical_core);
    program.kernel.wait(Handover::kQueue, own);
    of_replica_[c.replica]->send(c.rank, c.physical_core, own, program.mark(Handover::kQueue));
  });
}

void Boundary::receive() {
  to_.region("hand-over");
  to_.each([&](const Cell& c) { of_replica_[c.replica]->receive(c.rank, c.physical_core); });
}

std::vector<runtime::MessageResult> Boundary::messages(const runtime::collective::Stopwatch& stopwatch,
                                                       const std::string& what) const {
  std::vector<runtime::MessageResult> all;
  for (const auto& handover : of_replica_) append(all, handover->messages(stopwatch, what));
  return all;
}

}  // namespace tahoma::workloads
