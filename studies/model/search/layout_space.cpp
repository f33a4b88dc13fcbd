// SPDX-License-Identifier: Apache-2.0
#include "studies/model/search/layout_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "studies/model/layout/stage_division.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

constexpr const char* kTooLarge = "E-MDL-005";  // of the workload: a chip has too little memory

std::optional<UserError> refusal_of_stages(const ModelConfig& config, const LayoutSpace& space,
                                           std::uint64_t ranks) {
  if (space.pipeline > ranks)
    return UserError(
        "E-HFC-014", "--pipeline",
        fmt::format("expected at most the {} ranks of {} chips, got {}", ranks, space.chips, space.pipeline));
  if (space.sequence > ranks / space.pipeline)
    return UserError("E-HFC-014", "--sequence",
                     fmt::format("expected at most the {} ranks of a stage of {} chips, got {}",
                                 ranks / space.pipeline, space.chips, space.sequence));
  if (space.pipeline > config.layers)
    return UserError("E-HFC-014", "--pipeline",
                     fmt::format("expected at most the {} layers, got {}", config.layers, space.pipeline));
  const auto& stages = space.stages;
  if (!stages.empty() && (stages.size() != space.pipeline ||
                          std::accumulate(stages.begin(), stages.end(), std::uint64_t{0}) != config.layers))
    return UserError(
        "E-HFC-014", "--stage-layers",
        fmt::format("expected the layers of each of {} stages, {} altogether, such as {}; got {}",
                    space.pipeline, config.layers,
                    fmt::join(stage_division(config.layers, space.pipeline), ","), fmt::join(stages, ",")));
  return std::nullopt;
}

std::optional<UserError> refusal_of_batch(const ModelLayout& layout, const ModelDemand& demand) {
  if (demand.batch % (layout.data * layout.microbatches) == 0) return std::nullopt;
  return UserError("E-HFC-011", "--batch",
                   fmt::format("expected a multiple of {}, for --microbatches {} on each of the {} replicas "
                               "(--data) of tensor degree {}; got {}",
                               layout.data * layout.microbatches, layout.microbatches, layout.data,
                               layout.tensor, demand.batch));
}

std::optional<UserError> refusal_of_workload(const ModelConfig& config, const ModelPoint& point,
                                             const std::vector<std::string>& overrides) {
  try {
    for (const ModelPhase phase : phases_of(config)) resolved_case(config, point, phase, overrides);
  } catch (const UserError& error) {
    return error;
  }
  return std::nullopt;
}

// Returns the workload's refusal of chips with no more HBM than allowed.
std::optional<UserError> refusal_of_memory(const ModelConfig& config, const ModelPoint& point,
                                           std::uint64_t most, const std::vector<std::string>& overrides) {
  if (most == 0) return std::nullopt;
  const auto resolved = resolved_case(config, point, phases_of(config).back(), overrides);
  const model::HbmParams& hbm = resolved->machine.chip.hbm;
  const std::uint64_t of_stack = most / hbm.stacks;
  if (of_stack >= hbm.capacity.count) return std::nullopt;
  std::vector<std::string> less = overrides;
  // A flat memory may have any capacity.
  less.emplace_back("machine.chip.hbm.model=flat");
  less.push_back(fmt::format("machine.chip.hbm.capacity={}B", of_stack));
  const std::optional<UserError> refusal = refusal_of_workload(config, point, less);
  if (!refusal) return std::nullopt;
  // The reason of a refused row has no place.
  UserError named(refusal->code, "--most-hbm", refusal->message);
  named.message = "--most-hbm: " + refusal->message;
  return named;
}

// Returns none if all have equally many layers.
std::vector<std::uint64_t> stages_of(const ModelConfig& config, const LayoutSpace& space) {
  std::vector<std::uint64_t> stages =
      space.stages.empty() ? stage_division(config.layers, space.pipeline) : space.stages;
  if (equally_many(stages)) stages.clear();
  return stages;
}

// Returns placements whose orders differ on a machine of that many chips: the first one of each.
std::vector<GroupPlacement> different_placements(const std::vector<GroupPlacement>& placements,
                                                 std::uint64_t chips) {
  std::vector<GroupPlacement> different;
  std::vector<std::string> orders;
  for (const GroupPlacement placement : placements) {
    const std::string order = order_on_machine(order_of(placement), chips);
    if (std::find(orders.begin(), orders.end(), order) != orders.end()) continue;
    orders.push_back(order);
    different.push_back(placement);
  }
  return different;
}

std::vector<std::uint64_t> tensor_degrees(std::uint64_t ranks) {
  std::vector<std::uint64_t> degrees;
  for (std::uint64_t degree = ranks; degree > 0; --degree)
    if (ranks % degree == 0 || std::has_single_bit(degree)) degrees.push_back(degree);
  return degrees;
}

// As many blocks of experts as there can be: then most exchanges carry whole experts' tokens.
std::uint64_t expert_blocks(const ModelConfig& config, std::uint64_t tensor) {
  if (config.experts == 0) return 1;
  std::uint64_t blocks = std::min(tensor, config.experts);
  while (tensor % blocks != 0 || config.experts % blocks != 0) --blocks;
  return blocks;
}

}  // namespace

std::vector<LayoutSpace> LayoutAxes::spaces() const {
  std::vector<LayoutSpace> all;
  for (const std::uint64_t c : chips)
    for (const std::uint64_t l : lnc)
      for (const std::uint64_t sharing : sequence)
        for (const std::uint64_t degree : pipeline)
          for (const std::uint64_t parts : degree == 1 ? std::vector<std::uint64_t>{1} : microbatches)
            for (const GroupPlacement placement : different_placements(placements, c))
              for (const isa::DType type : weights)
                for (const isa::DType rows : activations)
                  all.push_back({.chips = c,
                                 .lnc = l,
                                 .data = data,
                                 .sequence = sharing,
                                 .pipeline = degree,
                                 .microbatches = parts,
                                 .placement = placement,
                                 .weights = type,
                                 .activations = rows,
                                 .most_hbm = most_hbm,
                                 .stages = stages,
                                 .machine = machine});
  return all;
}

std::vector<LayoutCandidate> layout_candidates(const ModelConfig& config, const LayoutSpace& space,
                                               const ModelDemand& demand,
                                               const std::vector<std::string>& overrides) {
  if (space.lnc != 1 && space.lnc != 2)
    throw UserError("E-HFC-010", "--lnc", fmt::format("expected 1 or 2, got {}", space.lnc));
  require_machine(space.chips);
  const std::uint64_t cores = cores_of_chip(space.machine, space.chips, overrides),
                      ranks = space.chips * cores / space.lnc;
  const std::optional<UserError> of_stages = refusal_of_stages(config, space, ranks);
  // A stage has so many ranks for tensor and data parallelism.
  const std::uint64_t of_group = std::max<std::uint64_t>(1, ranks / space.pipeline / space.sequence);
  const std::vector<std::uint64_t> stages = of_stages ? space.stages : stages_of(config, space);
  std::vector<LayoutCandidate> all;
  for (const std::uint64_t tensor : tensor_degrees(of_group)) {
    LayoutCandidate& made = all.emplace_back();
    made.layout = {.chips = space.chips,
                   .lnc = space.lnc,
                   .tensor = tensor,
                   .data = space.data == 0 ? of_group / tensor : space.data,
                   .expert = expert_blocks(config, tensor),
                   .sequence = space.sequence,
                   .pipeline = space.pipeline,
                   .microbatches = space.microbatches,
                   .placement = space.placement,
                   .weights = space.weights,
                   .activations = space.activations,
                   .stages = stages,
                   .machine = space.machine,
                   .cores = cores};
    made.refusal = of_stages;
    if (!made.refusal) made.refusal = refusal_of_batch(made.layout, demand);
    if (!made.refusal) made.refusal = refusal_of_workload(config, {made.layout, demand}, overrides);
    if (!made.refusal)
      made.refusal = refusal_of_memory(config, {made.layout, demand}, space.most_hbm, overrides);
  }
  return all;
}

std::vector<ModelLayout> possible_layouts(const ModelConfig& config, const LayoutSpace& space,
                                          const ModelDemand& demand,
                                          const std::vector<std::string>& overrides) {
  std::vector<ModelLayout> possible;
  std::optional<UserError> refusal;
  for (const LayoutCandidate& one : layout_candidates(config, space, demand, overrides)) {
    if (!one.refusal) possible.push_back(one.layout);
    // A refusal by the workload is about the model and tells more than that a batch cannot be divided. Among
    // degrees for which the memory is too small, the highest one needs least.
    const bool says_more = one.refusal && one.refusal->code != "E-HFC-011",
               needs_more =
                   says_more && refusal && refusal->code == kTooLarge && one.refusal->code == kTooLarge;
    if (one.refusal && (!refusal || (says_more && !needs_more))) refusal = one.refusal;
  }
  if (possible.empty()) throw UserError(*refusal);
  // The first one is the default: padding is for those who ask for it, or if nothing else is possible.
  std::stable_partition(possible.begin(), possible.end(), [&](const ModelLayout& layout) {
    return padded_heads(config, layout.tensor) == config.heads;
  });
  return possible;
}

}  // namespace tahoma::runtime
