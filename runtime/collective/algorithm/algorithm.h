// SPDX-License-Identifier: Apache-2.0
// The algorithms by name. Each converts a problem and the group's grid into one schedule per channel.
// Channels work in parallel on slices of the data, each with its own variant (direction, cycle, order of
// axes), so that all links of a rank are in use. The file of each algorithm states its order of summation and
// its figures.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/param_choice.h"
#include "runtime/collective/schedule/grid.h"
#include "runtime/collective/schedule/schedule.h"

namespace tahoma::runtime::collective {

// The choices of a case: the published algorithm for the message size (auto), the one with the shortest
// closed form (best), or one of algorithms().
enum class Algorithm : std::uint8_t {
  kAuto,
  kBest,
  kRing,
  kKangaring,
  kMesh,
  kMeshOneStep,
  kRecursive,
  kHierarchical,
  kDirect,
  kTree,
  kDissemination
};
std::string_view name_of(Algorithm algorithm);

struct ChannelPlan {
  std::shared_ptr<const Schedule> schedule;
  double share = 1;  // of the data; the shares of all channels add up to 1
};

struct AlgorithmRow {
  Algorithm id;
  std::string_view name, doc;
  std::vector<Operation> operations;
  // The reason why the group is not supported, with what would be legal; empty if it is supported.
  std::string (*refusal)(const Problem& problem, const Grid& grid);
  std::vector<ChannelPlan> (*plan)(const Problem& problem, const Grid& grid, std::uint32_t channels);

  bool performs(Operation operation) const;
  // The reason why it cannot perform the operation over the group: `refusal`, or ranks to which it sends and
  // which dead links and chips have cut off. Empty if it can.
  std::string obstacle(const Problem& problem, const Grid& grid) const;
  bool suits(const Problem& problem, const Grid& grid) const {
    return performs(problem.operation) && obstacle(problem, grid).empty();
  }
};

const std::vector<AlgorithmRow>& algorithms();
base::Choice<Algorithm> algorithm_choice();  // auto, best and all algorithms
std::vector<std::string> algorithm_names_for(const Problem& problem, const Grid& grid);

// Throws UserError E-COL-003 if no algorithm can perform the operation over the group.
void require_algorithm(const Problem& problem, const Grid& grid);

// Throws UserError E-COL-001 (no such algorithm), E-COL-002 (it does not perform the operation) and E-COL-003
// (it does not support the size or shape of the group), with the legal names.
const AlgorithmRow& row_for(Algorithm algorithm, const Problem& problem, const Grid& grid);
const AlgorithmRow& algorithm_named(const std::string& name, const Problem& problem, const Grid& grid);

// The part of one of several groups in the plan of all of them together, so that they use every variant as
// the channels of one group would: `channels` variants, starting at share x channels, with shares of its own
// data.
std::vector<ChannelPlan> part_of_plan(const std::vector<ChannelPlan>& together, std::uint32_t share,
                                      std::uint32_t channels);

// Equal shares for the given variants, taken in turn.
std::vector<ChannelPlan> dealt(const std::vector<std::shared_ptr<const Schedule>>& variants,
                               std::uint32_t channels);

}  // namespace tahoma::runtime::collective
