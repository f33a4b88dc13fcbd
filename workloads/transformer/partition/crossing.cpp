// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/crossing.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace tahoma::workloads {

using namespace runtime::collective;

namespace {

std::vector<Members> members_of(const std::vector<Replica*>& replicas) {
  std::vector<Members> members;
  for (std::size_t r = 0; r < replicas.front()->ranks(); ++r)
    for (std::size_t h = 0; h < replicas.front()->physical_cores(); ++h) {
      Members& group = members.emplace_back(Members{fmt::format("rank {} half {}", r, h), {}});
      for (Replica* replica : replicas) group.cores.push_back({replica->program(r, h).at.core});
    }
  return members;
}

}  // namespace

Crossing::Crossing(const model::MachineParams& machine, const std::vector<Replica*>& replicas)
    : physical_cores_(replicas.front()->physical_cores()) {
  for (const Replica* replica : replicas)
    TAHOMA_INVARIANT(replica->alike().size() == 1, "replicas that exchange data cannot share programs");
  std::size_t number = 0;
  for (Group& group : groups_from(machine, members_of(replicas))) {
    const std::size_t rank = number / physical_cores_, physical_core = number++ % physical_cores_;
    std::vector<CoreProgram*> programs;
    for (Replica* replica : replicas) programs.push_back(&replica->program(rank, physical_core));
    communicators_.emplace_back(
        machine, std::move(group), std::move(programs),
        [replicas, rank, physical_core](std::uint32_t member, isa::DType dtype, std::uint64_t elements) {
          return replicas[member]->staging(rank, physical_core, dtype, elements);
        });
  }
}

}  // namespace tahoma::workloads
