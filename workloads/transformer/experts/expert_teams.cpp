// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/expert_teams.h"

#include <fmt/format.h>

namespace tahoma::workloads {

using namespace runtime::collective;

namespace {

std::vector<Team> across_blocks(const ParallelDegrees& degrees, std::size_t physical_cores) {
  std::vector<Team> teams;
  for (std::size_t place = 0; place < degrees.block() && degrees.expert > 1; ++place)
    for (std::size_t h = 0; h < physical_cores; ++h) {
      Team& team = teams.emplace_back(Team{nullptr, {}, h});
      for (std::size_t b = 0; b < degrees.expert; ++b) team.ranks.push_back(b * degrees.block() + place);
    }
  return teams;
}

std::vector<Team> within_blocks(const ParallelDegrees& degrees, std::size_t physical_cores) {
  std::vector<Team> teams;
  for (std::size_t b = 0; b < degrees.expert && degrees.block() > 1; ++b)
    for (std::size_t h = 0; h < physical_cores; ++h) {
      Team& team = teams.emplace_back(Team{nullptr, {}, h});
      for (std::size_t place = 0; place < degrees.block(); ++place)
        team.ranks.push_back(b * degrees.block() + place);
    }
  return teams;
}

void seat(const model::MachineParams& machine, const char* kind, const std::vector<Team>& teams,
          const std::vector<Replica::RankCores*>& places) {
  std::vector<Members> members;
  for (const Replica::RankCores* place : places)
    for (const Team& team : teams) {
      Members& group = members.emplace_back(Members{fmt::format("replica {} {} {} half {}", place->number,
                                                                kind, team.ranks.front(), team.physical_core),
                                                    {}});
      for (const std::size_t rank : team.ranks)
        group.cores.push_back({place->cores[rank][team.physical_core]});
    }
  std::size_t number = 0;
  for (Group& group : groups_from(machine, members))
    places[number++ / teams.size()]->teams.push_back(std::move(group));
}

}  // namespace

// Teams across blocks and within them alternate, so only those of one kind share links.
void seat_teams(const model::MachineParams& machine, const ParallelDegrees& degrees,
                std::vector<std::vector<Replica::RankCores>>& replicas) {
  std::vector<Replica::RankCores*> places;
  for (std::vector<Replica::RankCores>& replica : replicas)
    for (Replica::RankCores& place : replica) places.push_back(&place);
  seat(machine, "across from", across_blocks(degrees, machine.chip.lnc), places);
  seat(machine, "within from", within_blocks(degrees, machine.chip.lnc), places);
}

ExpertTeams::ExpertTeams(Replica& replica, const ParallelDegrees& degrees)
    : blocks_(degrees.expert), block_(degrees.block()), physical_cores_(replica.physical_cores()) {
  teams_ = across_blocks(degrees, physical_cores_);
  for (Team& team : within_blocks(degrees, physical_cores_)) teams_.push_back(std::move(team));
  for (std::size_t i = 0; i < teams_.size(); ++i) {
    Team& team = teams_[i];
    team.group = &replica.alike().front().teams[i];
    std::vector<CoreProgram*> programs;
    for (const std::size_t rank : team.ranks) programs.push_back(&replica.program(rank, team.physical_core));
    communicators_.emplace_back(replica.machine(), *team.group, std::move(programs),
                                [&replica, ranks = team.ranks, physical_core = team.physical_core](
                                    std::uint32_t member, isa::DType dtype, std::uint64_t elements) {
                                  return replica.staging(ranks[member], physical_core, dtype, elements);
                                });
  }
}

}  // namespace tahoma::workloads
