// SPDX-License-Identifier: Apache-2.0
// Differences of single instances of a machine, by instance name:
//
//   machine:
//     instances:
//       server0:
//         chip03:
//           hbm1: {rate: 0.5, failed_channels: "3,7"}
//           link: {xp: {rate: 0.25}, ym: {dead: true}}
//           slow: 2
//       switch:
//         down03: {rate: 0.5}
//
// There is one map per kind of instance, and one row per kind in the table of instance_params.cpp. An
// instance that is not named here has the parameters of its class.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/link/link_fault_params.h"
#include "model/memory/hbm/hbm_fault_params.h"
#include "model/system/machine/chip_fault_params.h"

namespace tahoma::model {

struct MachineParams;

struct InstanceParams {
  std::map<std::string, StackFaults> stacks;  // "server0.chip03.hbm1"
  std::map<std::string, LinkFaults> links;    // "server0.chip03.link.xp": the direction that leaves there
  std::map<std::string, LinkFaults> switch_links;  // "switch.down03": the direction to that chip
  std::map<std::string, ChipFaults> chips;         // "server0.chip03"

  // Declares groups of `machine` (of which this is a part) on demand, below `t`'s group "instances".
  void declare(base::ParamTree& t, const MachineParams& machine);
  // Returns the path of one instance of each kind in the machine, as an example.
  static std::vector<std::string> examples(const MachineParams& machine);
  // Throws base::UserError: E-CFG-023 for an instance that the machine lacks, with the nearest one;
  // E-CFG-020.
  void check(const MachineParams& machine) const;
};

// The names of the netlist.
std::string chip_name(const MachineParams& machine, std::uint64_t chip);
std::string stack_name(const MachineParams& machine, std::uint64_t chip, std::uint64_t stack);
std::string link_name(const MachineParams& machine, std::uint64_t chip, std::string_view port);
std::string switch_link_name(std::string_view name, std::string_view port);

}  // namespace tahoma::model
