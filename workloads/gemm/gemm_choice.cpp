// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/gemm_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/gemm/gemm_programs.h"

namespace tahoma::workloads {

using namespace runtime::collective;

Choice GemmChoice::of(const GemmGroup& group, Algorithm algorithm, GemmNest nest) {
  const Spec spec = GemmSum::spec_of(group.group, group.tile(shape_.out));
  if (algorithm != Algorithm::kBest) return choose(algorithm, spec, group.group, machine_);
  const std::vector<GemmGroup> neighbours = neighbours_of(group);
  std::string key = trial_key(machine_, group.group, spec);
  for (const GemmGroup& neighbour : neighbours)
    key += fmt::format(" {}x{}", neighbour.m.count, neighbour.n.count);
  const auto known = choices_.find(key);
  if (known != choices_.end()) return known->second;
  return choices_[key] =
             fastest(spec, group.group, machine_, [&](const AlgorithmRow& row, base::Duration limit) {
               return attempt(neighbours, row, nest, limit);
             });
}

std::vector<GemmGroup> GemmChoice::neighbours_of(const GemmGroup& group) const {
  std::vector<GemmGroup> neighbours;
  for (const GemmGroup& other : groups_)
    if (other.group.neighbours == group.group.neighbours) neighbours.push_back(other);
  return neighbours;
}

std::optional<Trial> GemmChoice::attempt(const std::vector<GemmGroup>& groups, const AlgorithmRow& algorithm,
                                         GemmNest nest, base::Duration limit) const {
  return run_trial(machine_, limit, [&](runtime::Machine& machine) -> Trial {
    const GemmLayout layout(machine, shape_, shard_, groups, [&](const GemmGroup&) {
      return Choice{&algorithm, ""};
    });
    GemmPrograms programs;
    programs.load(machine, layout, nest);
    const base::Duration elapsed = machine.run().elapsed;
    return {elapsed, elapsed};
  });
}

}  // namespace tahoma::workloads
