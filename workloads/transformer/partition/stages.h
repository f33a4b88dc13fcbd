// SPDX-License-Identifier: Apache-2.0
// A data replica, and all that lie like it: its stages, one behind the other, and in each the groups that
// share sequences; what they hand over and gather among each other.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "workloads/transformer/experts/expert_routing.h"
#include "workloads/transformer/partition/crossing.h"
#include "workloads/transformer/partition/phase_programs.h"

namespace tahoma::workloads {

class Stages {
 public:
  // `groups`: by stage and group of those that share sequences (replica.h).
  // `routing`: of a mixture of experts.
  Stages(runtime::Machine& machine, const TransformerParams& params, const ExpertRouting* routing,
         std::vector<Replica::Alike> groups);

  void emit();
  void load(runtime::collective::Stopwatch& stopwatch);
  // What the last stage has, into [rows of the case, hidden].
  void gather(runtime::Machine& machine, runtime::HostTensor& out) const;

  struct Group {
    std::unique_ptr<Replica> replica;
    std::unique_ptr<PhasePrograms> programs;
  };
  const std::vector<Group>& groups() const { return groups_; }  // by stage and group
  const std::vector<std::unique_ptr<Handover>>& handovers() const { return handovers_; }
  // Gathered over the groups of a stage at once, by the same physical core of all of their ranks.
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
  std::vector<std::unique_ptr<Handover>> handovers_;  // by stage that sends, and group
  std::vector<std::unique_ptr<Crossing>> crossings_;  // by stage; none where no sequence is shared
  std::vector<Gathered> gathered_;
};

}  // namespace tahoma::workloads
