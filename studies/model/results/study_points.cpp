// SPDX-License-Identifier: Apache-2.0
#include "studies/model/results/study_points.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::runtime {

using base::UserError;

namespace {

// Whether a refusal is about the tensor degree: not if it names another option, or if every degree is refused
// for it.
bool is_about_tensor(const UserError& refusal, const std::vector<LayoutCandidate>& candidates) {
  if (refusal.code == "E-HFC-014" || refusal.code == "E-HFC-011") return false;
  return std::any_of(candidates.begin(), candidates.end(), [&](const LayoutCandidate& one) {
    return !one.refusal || one.refusal->code != refusal.code || one.refusal->place != refusal.place;
  });
}

LayoutCandidate candidate_with(const std::vector<LayoutCandidate>& candidates, std::uint64_t tensor) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const LayoutCandidate& one) { return one.layout.tensor == tensor; });
  LayoutCandidate wanted = found == candidates.end() ? candidates.back() : *found;
  wanted.layout.tensor = tensor;
  if (found != candidates.end() && !found->refusal) return wanted;
  // Stages that are not possible are the reason, whatever their tensor degree.
  if (wanted.refusal && wanted.refusal->code == "E-HFC-014") return wanted;
  if (found != candidates.end() && !is_about_tensor(*wanted.refusal, candidates)) return wanted;
  const std::string reason = found != candidates.end()
                                 ? wanted.refusal->message
                                 : "expected a power of two or a divisor of the ranks of a stage, and at "
                                   "most their number";
  wanted.refusal = UserError("E-HFC-012", "--tensor",
                             fmt::format("{} is not possible on {} for this model, batch and prompt: {}",
                                         tensor, wanted.layout.chips_text(), reason));
  return wanted;
}

std::vector<LayoutCandidate> wanted_candidates(const ModelConfig& config, const LayoutSpace& space,
                                               const StudySpace& study, const ModelDemand& demand,
                                               const std::vector<std::string>& overrides) {
  if (study.tensor.empty() && !study.search)
    return {{possible_layouts(config, space, demand, overrides).front(), {}}};
  std::vector<LayoutCandidate> all = layout_candidates(config, space, demand, overrides);
  if (study.tensor.empty()) return all;
  std::vector<LayoutCandidate> wanted;
  for (const std::uint64_t tensor : study.tensor) wanted.push_back(candidate_with(all, tensor));
  return wanted;
}

}  // namespace

std::vector<SearchedPoint> study_points(const ModelConfig& config, const StudySpace& study,
                                        const std::vector<std::string>& overrides) {
  std::vector<SearchedPoint> points;
  std::optional<UserError> refusal;
  for (const LayoutSpace& space : study.axes.spaces())
    for (const ModelDemand& demand : study.demands)
      for (const LayoutCandidate& one : wanted_candidates(config, space, study, demand, overrides)) {
        if (one.refusal && !study.search) throw UserError(*one.refusal);
        SearchedPoint& point = points.emplace_back();
        point.point = {one.layout, demand};
        if (one.refusal) {
          point.refused = one.refusal->message;
          refusal = one.refusal;
        } else {
          point.bounds = bounds_of(config, point.point, overrides);
        }
      }
  if (std::none_of(points.begin(), points.end(), [](const auto& point) { return point.refused.empty(); }))
    throw UserError(*refusal);
  return points;
}

ModelLayout one_layout(const ModelConfig& config, const LayoutSpace& space, std::uint64_t tensor,
                       const ModelDemand& demand, const std::vector<std::string>& overrides) {
  StudySpace study;
  if (tensor > 0) study.tensor = {tensor};
  const LayoutCandidate one = wanted_candidates(config, space, study, demand, overrides).front();
  if (one.refusal) throw UserError(*one.refusal);
  return one.layout;
}

}  // namespace tahoma::runtime
