// SPDX-License-Identifier: Apache-2.0
// Resolves a workload's YAML, a machine's YAML and the command line to values. A workload file has the keys
//   kind: gemm                           the kind of workload (see `tahoma params workload`)
//   machine: trainium2_ultraserver       a preset's name or a path; or a map of values, with `extends:` a
//                                        preset or path
//   mode: functional                     or timing
//   seed: 1                              of generated inputs
//   not_finite: refused                  or allowed: NaN and infinite results of inputs that have none
//   unwritten: 0                         0 to 255: what each byte of SBUF and PSUM holds until it is written
//   workload: {m: 8192, ...}             the kind's own parameters
// and may itself have the key `extends: other.yaml`. Relative paths in a file start in the folder of that
// file, those of the command line in the working directory. Without `machine` the machine is the declared
// default, one Trainium2 UltraServer. A machine file has the keys `extends` and `machine: {...}`. The command
// line's --machine replaces the whole `machine` key. --set is applied last, in order; the last one wins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/loader/config_loader.h"
#include "model/base/params.h"
#include "model/system/machine/machine_params.h"
#include "model/system/system.h"
#include "runtime/config/case_origins.h"
#include "runtime/workload/workload.h"

namespace tahoma::runtime {

// The command line as given; an empty text is an option that was not given.
struct ConfigRequest {
  std::string workload;                   // path of the workload's YAML, or the name of `text` in messages
  std::string machine;                    // --machine: a preset's name or a path
  std::vector<std::string> overrides;     // --set: "path=value"
  std::string mode, seed;                 // --mode, --seed
  std::string text = {};                  // the workload's YAML itself; "": read from the path
  std::vector<base::Leaf> settings = {};  // of a file that names the workload; applied before the overrides
  CaseOrigins origins = {};               // of a case that a command generates
};

enum class NotFinite : std::uint8_t { kRefused, kAllowed };
inline constexpr base::Named<NotFinite> kNotFiniteNames[] = {{NotFinite::kRefused, "refused"},
                                                             {NotFinite::kAllowed, "allowed"}};

// The parameters of a run beside those of its machine and its workload.
struct RunParams {
  std::string kind;
  model::Mode mode = model::Mode::kFunctional;
  std::uint64_t seed = 0;
  NotFinite not_finite = NotFinite::kRefused;
  std::uint64_t unwritten = 0;
  void declare(base::ParamTree& tree, const std::vector<WorkloadKind>& kinds);
};

// The contents of a preset or file of a machine.
struct MachineFile {
  std::string path;
  base::FlatConfig values;  // with those of the files that it extends
};

// The trees point into the values, so a resolved configuration must not move.
struct ResolvedConfig {
  ResolvedConfig() = default;
  ResolvedConfig(const ResolvedConfig&) = delete;
  ResolvedConfig& operator=(const ResolvedConfig&) = delete;

  RunParams run;
  model::MachineParams machine;
  std::unique_ptr<Workload> workload;
  base::ParamTree run_tree{""}, machine_tree{"machine"}, workload_tree{"workload"};
  std::optional<MachineFile> machine_file;  // the file that the run names, if any

  model::Mode mode() const { return run.mode; }
  // Writes a workload file without reference to any other configuration. Running it gives the same values and
  // this same text. `map`, if any, maps the paths of files, which start in the working directory: for a text
  // that is stored in another folder.
  std::string to_yaml(const base::PathMap& map = {}) const;
};

// Resolves a configuration in which every key is known, every value is in its range, and the checks of
// machine and workload pass. Otherwise throws UserError (model/base/error_codes.md: E-CFG-002 to E-CFG-022,
// E-RUN-001) at the place of the value.
std::unique_ptr<ResolvedConfig> resolve_config(const ConfigRequest& request,
                                               const std::vector<WorkloadKind>& kinds = workload_kinds());

// The same without the checks between values: for a sweep, whose points may be valid only with the values of
// its axes.
std::unique_ptr<ResolvedConfig> resolve_values(const ConfigRequest& request,
                                               const std::vector<WorkloadKind>& kinds = workload_kinds());

// Reads the preset or file `machine`. Throws E-CFG-021 if it does not exist.
MachineFile read_machine_file(const std::string& machine);

// A machine alone, for commands that run no workload. The tree points into the values.
struct ResolvedMachine {
  ResolvedMachine() = default;
  ResolvedMachine(const ResolvedMachine&) = delete;
  ResolvedMachine& operator=(const ResolvedMachine&) = delete;

  model::MachineParams params;
  base::ParamTree tree{"machine"};
};

// Resolves the preset or file `machine` ("" is the declared default) with `overrides` below `machine.`,
// applied and checked.
std::unique_ptr<ResolvedMachine> resolve_machine_alone(const std::string& machine,
                                                       const std::vector<std::string>& overrides);
// The same without the tree.
model::MachineParams resolve_machine_params(const std::string& machine,
                                            const std::vector<std::string>& overrides);

}  // namespace tahoma::runtime
