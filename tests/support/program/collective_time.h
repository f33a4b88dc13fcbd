// SPDX-License-Identifier: Apache-2.0
// The time of one collective between chips, for laws about times.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tests/support/program/workload_run.h"
#include "workloads/collective/collective.h"

namespace tahoma::tests {

// A torus whose memory has no banks.
inline model::MachineParams flat_torus(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) {
  model::MachineParams m = machine_of(x, y, z);
  m.chip.hbm.model = model::HbmModel::kFlat;
  return m;
}

// One rank per chip over the whole machine, bf16, unless the settings differ.
inline base::Duration collective_time(const model::MachineParams& params, Settings settings) {
  settings.insert(settings.begin(), {{"ranks", "chips"}, {"over", "machine"}});
  return {std::stoll(in_child([&] {
    const auto workload = workload_with(workloads::make_collective, settings);
    workload->check(params);
    runtime::Machine machine(params, model::Mode::kTiming);
    workload->prepare(machine, 1);
    const base::RunMeasurement run = machine.run();
    return std::to_string(workload->collectives(machine, run).back().time().fs);
  }))};
}

}  // namespace tahoma::tests
