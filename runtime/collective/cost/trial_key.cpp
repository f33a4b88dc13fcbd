// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/system/fabric_ways.h"
#include "model/system/machine_text.h"
#include "runtime/collective/cost/trial.h"

namespace tahoma::runtime::collective {

namespace {

bool healthy(const model::InstanceParams& instances) {
  return instances.stacks.empty() && instances.links.empty() && instances.switch_links.empty() &&
         instances.chips.empty();
}

// The cores by their number within a chip, the chips in the order of their first use, and the links between
// each pair of them.
std::string shape_of(const model::MachineParams& machine, const std::vector<Members>& groups) {
  std::string text;
  std::vector<std::uint32_t> chips;
  for (const Members& group : groups) {
    text += "group\n";
    for (const auto& cores : group.cores)
      for (const std::uint32_t core : cores) {
        const auto chip = static_cast<std::uint32_t>(core / machine.chip.cores);
        const auto at = std::find(chips.begin(), chips.end(), chip);
        text += fmt::format("{}.{} ", at - chips.begin(), core % machine.chip.cores);
        if (at == chips.end()) chips.push_back(chip);
      }
  }
  const model::FabricWays ways(machine);
  for (const std::uint32_t from : chips)
    for (const std::uint32_t to : chips) {
      text += "\n";
      ways.along(from, to, [&](std::uint32_t link) { text += ways.links()[link].name + " "; });
    }
  return text;
}

std::string position_of(const std::vector<Members>& groups) {
  std::string text;
  for (const Members& group : groups) text += fmt::format("group {}\n", fmt::join(group.cores, " "));
  return text;
}

std::string text_of(const Spec& spec) {
  const Problem& problem = spec.problem;
  return fmt::format(
      "{} of {} root {} to {}; {} {} {} elements in {} counts {}; {} channels, {} B, {} signals",
      name_of(problem.operation), problem.ranks, problem.root, fmt::join(problem.to, " "),
      static_cast<int>(spec.op), static_cast<int>(spec.dtype), spec.elements, spec.chunk_elements,
      fmt::join(spec.counts, " "), spec.channels, spec.piece_bytes, spec.signals);
}

}  // namespace

std::string trial_key(const model::MachineParams& machine, const Group& group, const Spec& spec) {
  return text_of(spec) + "\n" +
         (healthy(machine.instances) ? shape_of(machine, *group.neighbours)
                                     : position_of(*group.neighbours)) +
         "\n" + model::text_of(machine);
}

}  // namespace tahoma::runtime::collective
