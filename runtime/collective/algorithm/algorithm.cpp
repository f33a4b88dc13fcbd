// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/algorithm.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "runtime/collective/algorithm/hierarchical.h"
#include "runtime/collective/algorithm/kangaring.h"
#include "runtime/collective/algorithm/mesh.h"
#include "runtime/collective/algorithm/recursive.h"
#include "runtime/collective/algorithm/ring.h"
#include "runtime/collective/algorithm/tree.h"

namespace tahoma::runtime::collective {

namespace {

std::string any_group(const Problem&, const Grid&) { return ""; }

const std::vector<Operation> kReductions{Operation::kAllReduce, Operation::kReduceScatter,
                                         Operation::kAllGather};

}  // namespace

const std::vector<AlgorithmRow>& algorithms() {
  using enum Operation;
  static const std::vector<AlgorithmRow> rows{
      {Algorithm::kRing,
       "ring",
       "chunks along Hamiltonian cycles, in both directions",
       {kAllReduce, kReduceScatter, kAllGather, kBroadcast, kReduce},
       any_group,
       ring_plan},
      {Algorithm::kKangaring, "kangaring", "pairs along Hamiltonian cycles, two ranks a step", kReductions,
       kangaring_refusal, kangaring_plan},
      {Algorithm::kMesh,
       "mesh",
       "every rank to every rank, in two steps",
       {kAllReduce, kReduceScatter, kAllGather, kBroadcast, kReduce},
       any_group,
       mesh_plan},
      {Algorithm::kMeshOneStep,
       "mesh_one_step",
       "the input of every rank to every rank, in one step",
       {kAllReduce, kReduce},
       any_group,
       mesh_one_step_plan},
      {Algorithm::kRecursive, "recursive", "halving and doubling over a hypercube", kReductions,
       recursive_refusal, recursive_plan},
      {Algorithm::kHierarchical, "hierarchical", "rings along one axis after the other, in rotated orders",
       kReductions, any_group, hierarchical_plan},
      {Algorithm::kDirect,
       "direct",
       "every chunk directly to its destination",
       {kAllToAll, kGather, kScatter, kSendRecv, kPermute},
       any_group,
       direct_plan},
      {Algorithm::kTree,
       "tree",
       "a binomial tree, up, down or both",
       {kBroadcast, kReduce, kAllReduce},
       any_group,
       tree_plan},
      {Algorithm::kDissemination,
       "dissemination",
       "twice as many tokens over twice the distance in each step",
       {kBarrier, kAllGather},
       any_group,
       dissemination_plan},
  };
  return rows;
}

bool AlgorithmRow::performs(Operation operation) const {
  return std::find(operations.begin(), operations.end(), operation) != operations.end();
}

std::string AlgorithmRow::obstacle(const Problem& problem, const Grid& grid) const {
  const std::string of_group = refusal(problem, grid);
  if (!of_group.empty() || grid.apart.empty()) return of_group;
  constexpr std::uint32_t kVariants = 16;
  for (const ChannelPlan& channel : plan(problem, grid, kVariants))
    for (const Transfer& t : channel.schedule->transfers)
      if (!grid.reaches(t.from, t.to))
        return fmt::format(
            "sends from rank {} to rank {}, between which dead links or chips block every path that "
            "dimension order permits",
            t.from, t.to);
  return "";
}

void require_algorithm(const Problem& problem, const Grid& grid) {
  std::string why;
  for (const AlgorithmRow& row : algorithms()) {
    if (!row.performs(problem.operation)) continue;
    const std::string obstacle = row.obstacle(problem, grid);
    if (obstacle.empty()) return;
    why += fmt::format("; '{}' {}", row.name, obstacle);
  }
  throw base::UserError("E-COL-003", "workload.algorithm",
                        fmt::format("no algorithm performs {} over these {} ranks{}; expected a group "
                                    "without these ranks, or another machine.link.order",
                                    name_of(problem.operation), problem.ranks, why));
}

std::vector<std::string> algorithm_names_for(const Problem& problem, const Grid& grid) {
  std::vector<std::string> names;
  for (const AlgorithmRow& row : algorithms())
    if (row.suits(problem, grid)) names.emplace_back(row.name);
  return names;
}

namespace {

[[noreturn]] void refuse(const char* code, const std::string& text, const Problem& problem,
                         const Grid& grid) {
  const std::vector<std::string> names = algorithm_names_for(problem, grid);
  if (names.empty()) require_algorithm(problem, grid);
  throw base::UserError(code, "workload.algorithm",
                        fmt::format("{}; expected for {} over {} ranks: {}", text, name_of(problem.operation),
                                    problem.ranks, fmt::join(names, ", ")));
}

const AlgorithmRow& suited(const AlgorithmRow& row, const Problem& problem, const Grid& grid) {
  if (!row.performs(problem.operation))
    refuse("E-COL-002", fmt::format("'{}' does not perform {}", row.name, name_of(problem.operation)),
           problem, grid);
  if (const std::string why = row.obstacle(problem, grid); !why.empty())
    refuse("E-COL-003", fmt::format("'{}' {}", row.name, why), problem, grid);
  return row;
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  if (algorithm == Algorithm::kAuto) return "auto";
  if (algorithm == Algorithm::kBest) return "best";
  const auto& rows = algorithms();
  return std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.id == algorithm; })->name;
}

base::Choice<Algorithm> algorithm_choice() {
  base::Choice<Algorithm> choice{Algorithm::kAuto, Algorithm::kBest};
  for (const AlgorithmRow& row : algorithms()) choice.push(row.id, std::string(row.name));
  return choice;
}

const AlgorithmRow& row_for(Algorithm algorithm, const Problem& problem, const Grid& grid) {
  const auto& rows = algorithms();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.id == algorithm; });
  TAHOMA_INVARIANT(row != rows.end(), "no algorithm has this number");
  return suited(*row, problem, grid);
}

const AlgorithmRow& algorithm_named(const std::string& name, const Problem& problem, const Grid& grid) {
  const auto& rows = algorithms();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == name; });
  if (row == rows.end()) refuse("E-COL-001", fmt::format("there is no algorithm '{}'", name), problem, grid);
  return suited(*row, problem, grid);
}

std::vector<ChannelPlan> part_of_plan(const std::vector<ChannelPlan>& together, std::uint32_t share,
                                      std::uint32_t channels) {
  const auto begin = together.begin() + std::ptrdiff_t{share} * channels;
  std::vector<ChannelPlan> part(begin, begin + channels);
  double all = 0;
  for (const ChannelPlan& channel : part) all += channel.share;
  for (ChannelPlan& channel : part) channel.share = all > 0 ? channel.share / all : 1.0 / channels;
  return part;
}

std::vector<ChannelPlan> dealt(const std::vector<std::shared_ptr<const Schedule>>& variants,
                               std::uint32_t channels) {
  TAHOMA_INVARIANT(!variants.empty(), "an algorithm has planned no schedule");
  std::vector<ChannelPlan> plan;
  for (std::uint32_t c = 0; c < channels; ++c)
    plan.push_back({variants[c % variants.size()], 1.0 / channels});
  return plan;
}

}  // namespace tahoma::runtime::collective
