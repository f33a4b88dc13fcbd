// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step/fleet.h"

#include "model/base/error.h"

namespace tahoma::workloads {

using namespace runtime::collective;

Fleet::Fleet(runtime::Machine& machine, const TrainingParams& params, std::size_t stage)
    : machine_(machine), algorithm_(params.forward.algorithm) {
  const TransformerParams& p = params.forward;
  for (std::vector<Replica::RankCores>& alone : rank_cores_of(machine.params(), p.placement, p.parallel))
    replicas_.push_back(std::make_unique<Replica>(machine, Replica::Alike{std::move(alone[stage])}));
  if (replicas() == 1) return;
  std::vector<Replica*> all;
  for (const auto& replica : replicas_) all.push_back(replica.get());
  crossing_.emplace(machine.params(), all);
}

void Fleet::region(const std::string& name) {
  for (const auto& replica : replicas_) replica->region(name);
}

void Fleet::add(const Exchange& what, const std::vector<Cell>& members, const EndOf& input,
                const EndOf& output, Ran& ran) {
  Communicator& among = communicator(what.across, members.front());
  Ends ends;
  for (const Cell& member : members) {
    ends.input.push_back(input(member));
    ends.output.push_back(output(member));
  }
  PlannedCollective planned = among.plan(what.operation, what.dtype, what.elements, algorithm_);
  among.add(planned, ends);
  for (const auto& spans : planned.spans) ran.spans.push_back(spans);
  if (ran.groups++ == 0) {
    ran.group = among.group();
    ran.planned = std::move(planned);
  }
}

void Fleet::exchange(const Exchange& what, const EndOf& input, const EndOf& output) {
  TAHOMA_INVARIANT(members(what.across) > 1, "an exchange needs at least two members");
  region(what.region);
  Ran& ran = ran_.emplace_back();
  ran.what = what;
  each([&](const Cell& first) {
    const bool ranks = what.across == Across::kRanks;
    if ((ranks ? first.rank : first.replica) != 0) return;
    std::vector<Cell> group;
    for (std::size_t i = 0; i < members(what.across); ++i)
      group.push_back(ranks ? Cell{first.replica, i, first.physical_core}
                            : Cell{i, first.rank, first.physical_core});
    add(what, group, input, output, ran);
  });
}

void Fleet::load(Stopwatch& stopwatch) {
  for (const auto& replica : replicas_) replica->load(stopwatch);
}

}  // namespace tahoma::workloads
