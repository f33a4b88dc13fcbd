// SPDX-License-Identifier: Apache-2.0
// A data replica and all with the same geometry: its stages in order, in each stage the groups that share
// sequences, and the hand-overs and gathers between them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "workloads/transformer/experts/expert_routing.h"
#include "workloads/transformer/partition/crossing.h"
#include "workloads/transformer/phases/phase_programs.h"

namespace tahoma::workloads {

class Stages {
 public:
  // `groups`: by stage and index among the groups that share sequences (replica.h).
  // `routing`: for a mixture of experts.
  Stages(runtime::Machine& machine, const TransformerParams& params, const ExpertRouting* routing,
         std::vector<Replica::Alike> groups);

  void emit();
  void load(runtime::collective::Stopwatch& stopwatch);
  // Collects the output of the last stage into [rows of the case, hidden].
  void gather(runtime::Machine& machine, runtime::HostTensor& out) const;

  struct Group {
    std::unique_ptr<Replica> replica;
    std::unique_ptr<PhasePrograms> programs;
  };
  const std::vector<Group>& groups() const { return groups_; }  // by stage and group
  const std::vector<std::unique_ptr<Handover>>& handovers() const { return handovers_; }
  // Gathers over the groups of a stage at once, by the same physical core of all of their ranks.
  struct Gathered {
    const char* what = "";
    std::size_t number = 0, physical_core = 0;
    const runtime::collective::Group* group = nullptr;            // of the first rank
    std::vector<runtime::collective::PlannedCollective> planned;  // by rank
  };
  const std::vector<Gathered>& gathered() const { return gathered_; }

 private:
  std::unique_ptr<PhasePrograms> programs_of(Replica& replica, const Station& station) const;
  void emit_stage(std::size_t stage);
  void share(std::size_t stage);
  Gathered& gathered_of(std::size_t before, const PhasePrograms::Share& share,
                        const runtime::collective::Communicator& communicator);
  PhasePrograms& programs(std::size_t stage, std::size_t group) {
    return *groups_[stage * params_.parallel.sequence + group].programs;
  }

  const TransformerParams& params_;
  const ExpertRouting* routing_;
  std::vector<Group> groups_;
  std::vector<std::unique_ptr<Handover>> handovers_;  // by sending stage and group
  std::vector<std::unique_ptr<Crossing>> crossings_;  // by stage; empty if no sequence is shared
  std::vector<Gathered> gathered_;
};

}  // namespace tahoma::workloads
