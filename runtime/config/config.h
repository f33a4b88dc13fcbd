// SPDX-License-Identifier: Apache-2.0
// From a workload's YAML, a machine's YAML and the command line to values. A workload file has the keys
//   kind: gemm                           which kind of workload (see `tahoma params workload`)
//   machine: trainium2_ultraserver       a preset's name or a path; or a map of values, with `extends:` a
//   preset or path mode: functional                     or timing seed: 1                              of
//   generated inputs workload: {m: 8192, ...}             the kind's own parameters
// and may itself say `extends: other.yaml`. Without `machine` the machine is the declared default, one
// Trainium2 UltraServer. A machine file has the keys `extends` and `machine: {...}`. The command line's
// --machine replaces the whole `machine` key, and --set comes last, in order, last wins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/loader/config_loader.h"
#include "model/base/params.h"
#include "model/system/machine_params.h"
#include "model/system/system.h"
#include "runtime/run/workload.h"

namespace tahoma::runtime {

// What the command line says, as it says it; an empty text is an option that was not given.
struct ConfigRequest {
  std::string workload;                // path of the workload's YAML, or the name of `text` in messages
  std::string machine;                 // --machine: a preset's name or a path
  std::vector<std::string> overrides;  // --set: "path=value"
  std::string mode, seed;              // --mode, --seed
  std::string text = {};               // the workload's YAML itself; "": read from the path
};

// kind, mode and seed: what a run has besides its machine and its workload.
struct RunParams {
  std::string kind;
  model::Mode mode = model::Mode::kFunctional;
  std::uint64_t seed = 0;
  void declare(base::ParamTree& tree, const std::vector<WorkloadKind>& kinds);
};

// A preset or file that says what a machine is, as it was read.
struct MachineFile {
  std::string path;
  base::FlatConfig values;  // of itself and of what it extends
};

// The trees point into the values, so a resolved configuration stays where it is.
struct ResolvedConfig {
  ResolvedConfig() = default;
  ResolvedConfig(const ResolvedConfig&) = delete;
  ResolvedConfig& operator=(const ResolvedConfig&) = delete;

  RunParams run;
  model::MachineParams machine;
  std::unique_ptr<Workload> workload;
  base::ParamTree run_tree{""}, machine_tree{"machine"}, workload_tree{"workload"};
  std::optional<MachineFile> machine_file;  // the one that the run names, if it names one

  model::Mode mode() const { return run.mode; }
  // A workload file without reference to any other: running it gives the same values, and this same text
  // again.
  std::string to_yaml() const;
};

// Every key known, every value within its range, the machine's and the workload's own checks passed;
// otherwise a UserError (model/base/error_codes.md: E-CFG-002 to E-CFG-022, E-RUN-001) at the place of the
// value.
std::unique_ptr<ResolvedConfig> resolve_config(const ConfigRequest& request,
                                               const std::vector<WorkloadKind>& kinds = workload_kinds());

// The same before the checks of values against each other: for a sweep, whose points may only agree once its
// own values are in place.
std::unique_ptr<ResolvedConfig> resolve_values(const ConfigRequest& request,
                                               const std::vector<WorkloadKind>& kinds = workload_kinds());

// The preset or file `machine`: E-CFG-021 if there is none.
MachineFile read_machine_file(const std::string& machine);

// A machine alone: the preset or file `machine` ("" is the declared default) with `overrides` below
// `machine.` applied and checked. For commands that run no workload.
model::MachineParams resolve_machine_params(const std::string& machine,
                                            const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime
