// SPDX-License-Identifier: Apache-2.0
// A part of a machine, which a workload sees as a machine of its own: some cores of one chip, or whole chips.
// Its cores and chips have numbers from 0. What the rest of the machine does is not hidden: memories, network
// and links of the chip are shared.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

struct MachinePart {
  std::string name;                  // of its tensors and regions: "NAME.tensor"
  model::MachineParams params;       // of the part
  std::vector<std::uint32_t> cores;  // numbers in the machine, by number in the part
};

// The part with these cores, in ascending order. It has the stacks that its cores allocate in. Chips that are
// a row, a plane or planes of the torus keep their axes; others are a row. Faults of single instances stay
// those of the machine and are not among its parameters. Throws UserError E-RUN-025, at `place`: cores of
// several chips that are not all cores of consecutive chips, or that halve a logical core.
MachinePart part_of_machine(const model::MachineParams& machine, std::string name,
                            std::vector<std::uint32_t> cores, const std::string& place);

// The program with regions that begin with "NAME.". Streams are shared.
std::shared_ptr<const isa::Program> named_program(const isa::Program& program, const std::string& name);

// Returns which arguments of a program are numbers of cores, not addresses.
std::bitset<isa::kArguments> core_arguments(const isa::Program& program);

// Passes the events of the cores of a part on, with their numbers in it.
class PartObserver final : public base::Observer {
 public:
  PartObserver(const MachinePart& part, base::Observer& observer);
  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;

 private:
  base::Observer& observer_;
  std::vector<std::uint32_t> number_;  // by core of the machine; kOutside for others
};

}  // namespace tahoma::runtime
