// SPDX-License-Identifier: Apache-2.0
// A workload of the repository on one core: in both modes, under the race checker, with its golden reference.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/run/machine.h"
#include "runtime/workload/workload.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"

namespace tahoma::tests {

// Keys below `workload.` and their values.
using Settings = std::vector<std::pair<std::string, std::string>>;
using MakeWorkload = std::function<std::unique_ptr<runtime::Workload>()>;

struct WorkloadRun {
  std::int64_t elapsed = 0;
  runtime::GoldenResult golden;
};

inline std::unique_ptr<runtime::Workload> workload_with(const MakeWorkload& make, const Settings& settings) {
  auto workload = make();
  base::ParamTree tree("workload");
  workload->declare(tree);
  for (const auto& [key, value] : settings) tree.set("workload." + key, value, "test");
  return workload;
}

// Throws the first finding of the checker.
inline WorkloadRun run_workload(const MakeWorkload& make, const Settings& settings, model::Mode mode) {
  const auto workload = workload_with(make, settings);
  const model::MachineParams params = machine_of(1, 1, 1);
  workload->check(params);
  runtime::Machine machine(params, mode, {true, true});
  workload->prepare(machine, 1);
  WorkloadRun r;
  r.elapsed = machine.run().elapsed.fs;
  if (machine.findings().total() > 0) throw std::runtime_error(machine.findings().first().front());
  if (mode == model::Mode::kFunctional) r.golden = workload->verify(machine);
  return r;
}

// Checks the golden reference, and that both modes take the same time. One elaboration in this process.
inline void check_workload(const MakeWorkload& make, const Settings& settings) {
  const std::string timing =
      in_child([&] { return std::to_string(run_workload(make, settings, model::Mode::kTiming).elapsed); });
  const WorkloadRun r = run_workload(make, settings, model::Mode::kFunctional);
  INFO(r.golden.first_mismatch);
  CHECK((r.golden.checked() && r.golden.passed()));
  CHECK(std::to_string(r.elapsed) == timing);
}

}  // namespace tahoma::tests
