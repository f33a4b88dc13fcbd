// SPDX-License-Identifier: Apache-2.0
// Maps ranks to logical cores. Ranks count along the axes of the machine (the logical cores of a chip, and
// the torus's x, y and z) in a chosen order: first within a tensor-parallel group, then group by group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/system/machine/machine_params.h"

namespace tahoma::workloads {

class Seating {
 public:
  // `order`: "core,x,y,z" in any order. The parameters must have been checked.
  Seating(const model::MachineParams& machine, const std::string& order, std::uint64_t tensor);

  // The physical cores of a rank of a replica.
  std::vector<std::uint32_t> cores(std::uint64_t replica, std::uint64_t rank) const;

  // Throws UserError E-MDL-003.
  static void check_order(const std::string& order);
  static std::uint64_t logical_cores(const model::MachineParams& machine) {
    return machine.cores() / machine.chip.lnc;
  }

 private:
  struct Axis {
    std::uint64_t size, stride;  // in logical cores
  };
  std::vector<Axis> axes_;  // the first counts fastest
  std::uint64_t tensor_, lnc_;
};

}  // namespace tahoma::workloads
