// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "runtime/collective/cost/sizing.h"

namespace tahoma::runtime::collective {

namespace {

constexpr std::uint64_t kMega = 1'000'000;

// The published ranges are those of a server: links limit its meshes, and KangaRing follows cycles of links.
// A group inside one chip has neither. Of silicon's times of all_reduce, that of 8 MiB is close to a mesh and
// that of 16 MiB to halving and doubling (workloads/micro/network/mechanisms.md).
constexpr std::uint64_t kMeshOnChip = std::uint64_t{8} << 20;  // bytes

// A mesh reads each input of a reduce_scatter once, where it stays; halving and doubling reads nearly twice
// as much. Which one silicon takes above 8 MiB is assumed.
bool takes_mesh_on_chip(const Problem& problem, std::uint64_t bytes) {
  return bytes <= kMeshOnChip ||
         (problem.operation == Operation::kReduceScatter && problem.inputs == Inputs::kStay);
}

const AlgorithmRow* legal(Algorithm algorithm, const Problem& problem, const Grid& grid) {
  for (const AlgorithmRow& row : algorithms())
    if (row.id == algorithm && row.suits(problem, grid)) return &row;
  return nullptr;
}

Choice by_size(const Problem& problem, const Grid& grid, std::uint64_t bytes) {
  if (grid.on_one_chip())
    if (const AlgorithmRow* row = legal(
            takes_mesh_on_chip(problem, bytes) ? Algorithm::kMesh : Algorithm::kRecursive, problem, grid))
      return {row, bytes <= kMeshOnChip ? "inside a chip, inputs of at most 8 MiB"
                                        : "inside a chip, inputs above 8 MiB"};
  const Algorithm published = bytes < kMega        ? Algorithm::kMesh
                              : bytes < 56 * kMega ? Algorithm::kRecursive
                                                   : Algorithm::kKangaring;
  const char* range = bytes < kMega ? "below 1 MB" : bytes < 56 * kMega ? "from 1 to 56 MB" : "above 56 MB";
  if (const AlgorithmRow* row = legal(published, problem, grid))
    return {row, fmt::format("published choice for messages {}", range)};
  for (const Algorithm next : {Algorithm::kRing, Algorithm::kDirect, Algorithm::kTree,
                               Algorithm::kDissemination, Algorithm::kKangaring, Algorithm::kMesh})
    if (const AlgorithmRow* row = legal(next, problem, grid))
      return {row, fmt::format("{}, published for messages {}, does not do this; the next that does",
                               name_of(published), range)};
  return {};
}

struct Candidate {
  const AlgorithmRow* algorithm;
  std::vector<ChannelPlan> plan;
  double bound;  // seconds that it needs at least
};

// Returns those that can perform the operation, shortest bound first.
std::vector<Candidate> candidates_of(const Problem& problem, std::uint64_t bytes, std::uint32_t channels,
                                     const CostModel& model, std::uint32_t signals) {
  const Grid& grid = model.grid();
  std::vector<Candidate> all;
  for (const AlgorithmRow& row : algorithms()) {
    if (!row.suits(problem, grid)) continue;
    const std::uint32_t used = channels_for(row, problem, grid, vector_bytes(problem, bytes), channels);
    std::vector<ChannelPlan> plan = row.plan(problem, grid, used * model.sharers());
    const Schedule& schedule = *plan.front().schedule;
    if (signals < kSignals && semaphores_needed(schedule, follow(schedule), 1, false) > signals) continue;
    const double bound = model.bound_of(plan, {bytes}).seconds;
    all.push_back({&row, std::move(plan), bound});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bound < b.bound; });
  return all;
}

// Algorithms whose bound exceeds the best time so far are not simulated.
Choice by_cost(const Problem& problem, std::uint64_t bytes, std::uint32_t channels, const CostModel& model,
               std::uint32_t signals) {
  Choice best;
  double least = 0, second = 0;
  std::string_view runner_up;
  for (const Candidate& candidate : candidates_of(problem, bytes, channels, model, signals)) {
    if (best.algorithm != nullptr && candidate.bound >= least) break;
    const Cost one = model.of(candidate.plan, {bytes});
    if (best.algorithm == nullptr || one.seconds < least) {
      second = least;
      runner_up = best.algorithm == nullptr ? std::string_view() : best.algorithm->name;
      best.algorithm = candidate.algorithm;
      best.cost = one;
      best.channels = static_cast<std::uint32_t>(candidate.plan.size());
      least = one.seconds;
    } else if (runner_up.empty() || one.seconds < second) {
      second = one.seconds;
      runner_up = candidate.algorithm->name;
    }
  }
  if (best.algorithm == nullptr) return best;
  best.why =
      fmt::format("estimate {:.4g} us ({} rounds, {})", least * 1e6, best.cost.rounds, best.cost.busiest);
  if (!runner_up.empty()) best.why += fmt::format(", next {} {:.4g} us", runner_up, second * 1e6);
  return best;
}

}  // namespace

Choice choose(Algorithm algorithm, const Problem& problem, std::uint64_t bytes, std::uint32_t channels,
              const CostModel& model, std::uint32_t signals) {
  const Grid& grid = model.grid();
  Choice choice;
  if (algorithm == Algorithm::kAuto)
    choice = by_size(problem, grid, bytes);
  else if (algorithm == Algorithm::kBest)
    choice = by_cost(problem, bytes, channels, model, signals);
  else
    choice = {&row_for(algorithm, problem, grid), "named by the user"};
  if (choice.algorithm == nullptr) require_algorithm(problem, grid);
  TAHOMA_INVARIANT(choice.algorithm != nullptr, "no algorithm performs the operation");
  return choice;
}

}  // namespace tahoma::runtime::collective
