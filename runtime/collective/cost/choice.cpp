// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "model/base/error.h"
#include "runtime/collective/cost/cost.h"
#include "runtime/collective/cost/sizing.h"
#include "runtime/collective/cost/trial.h"
#include "runtime/collective/lowering/channel_semaphores.h"

namespace tahoma::runtime::collective {

namespace {

constexpr std::uint64_t kMega = 1'000'000;

const AlgorithmRow* legal(Algorithm algorithm, const Problem& problem, const Grid& grid) {
  for (const AlgorithmRow& row : algorithms())
    if (row.id == algorithm && row.performs(problem.operation) && row.refusal(problem, grid).empty())
      return &row;
  return nullptr;
}

Choice by_size(const Problem& problem, const Grid& grid, std::uint64_t bytes) {
  const Algorithm published = bytes < kMega        ? Algorithm::kMesh
                              : bytes < 56 * kMega ? Algorithm::kRecursive
                                                   : Algorithm::kKangaring;
  const char* range = bytes < kMega ? "below 1 MB" : bytes < 56 * kMega ? "from 1 to 56 MB" : "above 56 MB";
  if (const AlgorithmRow* row = legal(published, problem, grid))
    return {row, fmt::format("published choice for messages {}", range)};
  for (const Algorithm next :
       {Algorithm::kRing, Algorithm::kDirect, Algorithm::kTree, Algorithm::kDissemination})
    if (const AlgorithmRow* row = legal(next, problem, grid))
      return {row, fmt::format("{}, published for messages {}, does not do this; the next that does",
                               name_of(published), range)};
  return {};
}

struct Candidate {
  const AlgorithmRow* algorithm;
  Cost cost;
};

std::uint64_t bytes_of(const Spec& spec) {
  return spec.elements * isa::size_of(spec.dtype) / vector_bytes(spec.problem, 1);
}

// Those that perform the operation within the semaphores, shortest closed form first.
std::vector<Candidate> candidates_of(const Spec& spec, const Group& group,
                                     const model::MachineParams& machine) {
  const CostModel model(machine, group);
  const std::uint32_t signals = spec.signals > 0 ? spec.signals : kSignals,
                      queues =
                          spec.channels == 0 ? queues_of(group) : std::min(spec.channels, queues_of(group));
  std::vector<Candidate> all;
  for (const AlgorithmRow& row : algorithms()) {
    if (!row.performs(spec.problem.operation) || !row.refusal(spec.problem, group.grid).empty()) continue;
    const std::uint32_t used =
        channels_for(row, spec.problem, group.grid, vector_bytes(spec.problem, bytes_of(spec)), queues);
    const std::vector<ChannelPlan> plan = row.plan(spec.problem, group.grid, used * group.sharers);
    if (signals < kSignals && semaphores_needed(*plan.front().schedule, 1, false) > signals) continue;
    all.push_back({&row, model.of(plan, bytes_of(spec))});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost.seconds < b.cost.seconds; });
  return all;
}

Choice fastest_alone(const Spec& spec, const Group& group, const model::MachineParams& machine) {
  return fastest(spec, group, machine, [&](const AlgorithmRow& algorithm, base::Duration limit) {
    Spec tried = spec;
    tried.algorithm = &algorithm;
    return try_alone(machine, group, tried, limit);
  });
}

// The choices of this process so far.
Choice remembered(const Spec& spec, const Group& group, const model::MachineParams& machine) {
  static std::mutex mutex;
  static std::map<std::string, Choice> choices;
  const std::string text = trial_key(machine, group, spec);
  const std::lock_guard lock(mutex);
  const auto known = choices.find(text);
  if (known != choices.end()) return known->second;
  return choices[text] = fastest_alone(spec, group, machine);
}

}  // namespace

Choice choose(Algorithm algorithm, const Spec& spec, const Group& group,
              const model::MachineParams& machine) {
  if (algorithm == Algorithm::kBest) return remembered(spec, group, machine);
  if (algorithm != Algorithm::kAuto)
    return {&row_for(algorithm, spec.problem, group.grid), "named by the user"};
  const Choice choice = by_size(spec.problem, group.grid, bytes_of(spec));
  TAHOMA_INVARIANT(choice.algorithm != nullptr, "no algorithm performs the operation");
  return choice;
}

Choice fastest(const Spec& spec, const Group& group, const model::MachineParams& machine,
               const Attempt& attempt) {
  const std::vector<Candidate> candidates = candidates_of(spec, group, machine);
  TAHOMA_INVARIANT(!candidates.empty(), "no algorithm performs the operation");
  const AlgorithmRow* first = candidates.front().algorithm;
  if (candidates.size() == 1) return {first, "the only one that does this"};
  const AlgorithmRow* best = nullptr;
  Trial least{};
  for (const Candidate& candidate : candidates) {
    if (best != nullptr && candidate.cost.bound >= least.time.seconds()) continue;
    const std::optional<Trial> trial = attempt(*candidate.algorithm, least.run);
    if (!trial || (best != nullptr && trial->time >= least.time)) continue;
    best = candidate.algorithm;
    least = *trial;
  }
  if (best == nullptr) return {first, "shortest closed form; no trial ended"};
  return {best,
          fmt::format("fastest of {} in trials: {:.4g} us", candidates.size(), least.time.seconds() * 1e6)};
}

void check_choice(Algorithm algorithm, const Problem& problem, const Grid& grid) {
  if (algorithm != Algorithm::kAuto && algorithm != Algorithm::kBest) row_for(algorithm, problem, grid);
}

}  // namespace tahoma::runtime::collective
