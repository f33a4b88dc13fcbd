// SPDX-License-Identifier: Apache-2.0
// Who exchanges tokens with whom, where the experts of a layer are sharded over blocks of a replica's ranks
// (`workload.parallel.expert`). Across blocks: the ranks with the same place in theirs, one of each, to which
// a token goes once however many ranks share its expert. Within a block: its ranks, which tell each other
// what came. Each physical core of a rank is in teams of its own.
#pragma once

#include <vector>

#include "workloads/transformer/partition/replica.h"
#include "workloads/transformer/transformer_params.h"

namespace tahoma::workloads {

// Of all groups at once, which share links: RankCores::teams.
void seat_teams(const model::MachineParams& machine, const ParallelDegrees& degrees,
                std::vector<std::vector<Replica::RankCores>>& replicas);

// Some ranks of a replica, in the order of the group's.
struct Team {
  const runtime::collective::Group* group = nullptr;
  std::vector<std::size_t> ranks;
  std::size_t physical_core = 0;
};

class ExpertTeams {
 public:
  ExpertTeams(Replica& replica, const ParallelDegrees& degrees);

  std::size_t blocks() const { return blocks_; }
  std::size_t block_size() const { return block_; }
  // There are at least two blocks; or two ranks in each.
  std::size_t across(std::size_t place, std::size_t physical_core) const {
    return place * physical_cores_ + physical_core;
  }
  std::size_t within(std::size_t block, std::size_t physical_core) const {
    return (blocks_ > 1 ? block_ * physical_cores_ : 0) + block * physical_cores_ + physical_core;
  }
  const Team& team(std::size_t number) const { return teams_[number]; }
  runtime::collective::Communicator& communicator(std::size_t number) { return communicators_[number]; }

 private:
  std::size_t blocks_, block_, physical_cores_;
  std::vector<Team> teams_;  // in the order of RankCores::teams
  std::vector<runtime::collective::Communicator> communicators_;
};

}  // namespace tahoma::workloads
