// SPDX-License-Identifier: Apache-2.0
// The groups that exchange tokens if the experts of a layer are sharded over blocks of a replica's ranks
// (`workload.parallel.expert`). Across blocks: the ranks at the same position, one of each block; a token is
// sent to them once, however many ranks share its expert. Within a block: its ranks, which distribute the
// arrivals. Each physical core of a rank has its own teams.
#pragma once

#include <vector>

#include "workloads/transformer/partition/replica.h"
#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

// Teams of all groups together, which share links: RankCores::teams.
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
  // Whether there are at least two blocks; or two ranks in each.
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
