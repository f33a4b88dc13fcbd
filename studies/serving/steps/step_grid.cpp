// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/steps/step_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/base/error.h"
#include "studies/serving/steps/step_rows.h"

namespace tahoma::runtime::serving {

using base::UserError;

namespace {

constexpr std::array kPrefillAxes{StepAxis::kTokens, StepAxis::kContext};
constexpr std::array kDecodeAxes{StepAxis::kBatch, StepAxis::kContext};
constexpr std::array kMixedAxes{StepAxis::kBatch, StepAxis::kContext, StepAxis::kTokens,
                                StepAxis::kChunkContext};
constexpr std::array<std::span<const StepAxis>, kStepPhases> kAxes{kPrefillAxes, kDecodeAxes, kMixedAxes};

double along(const StepPoint& at, StepAxis axis) { return at[static_cast<std::size_t>(axis)]; }

}  // namespace

std::span<const StepAxis> axes_of(StepPhase phase) { return kAxes[static_cast<std::size_t>(phase)]; }

StepGrid::StepGrid(StepPhase phase, std::vector<ExecutedStep> steps)
    : phase_(phase), axes_(axes_of(phase)), steps_(std::move(steps)) {
  if (steps_.empty()) return;
  std::size_t cells = 1;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    std::vector<double>& values = values_[a];
    for (const ExecutedStep& step : steps_) values.push_back(along(step.at, axes_[a]));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    stride_[a] = cells;
    cells *= values.size();
  }
  // The cells in order, without memory for those that are missing: there may be very many.
  std::vector<std::pair<std::size_t, const ExecutedStep*>> filled;
  for (const ExecutedStep& step : steps_) filled.emplace_back(cell_of(step.at), &step);
  std::stable_sort(filled.begin(), filled.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t n = 1; n < filled.size(); ++n)
    if (filled[n].first == filled[n - 1].first)
      throw UserError("E-SRV-011", filled[n].second->place,
                      fmt::format("the {} is also at {}: expected each point once",
                                  step_text(phase, filled[n].second->at), filled[n - 1].second->place));
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (cell == filled.size() || filled[cell].first != cell) refuse_gap(cell);
    cells_.push_back(filled[cell].second->cost);
  }
}

void StepGrid::refuse_gap(std::size_t cell) const {
  StepPoint missing{};
  for (std::size_t a = 0; a < axes_.size(); ++a)
    missing[static_cast<std::size_t>(axes_[a])] = values_[a][cell / stride_[a] % values_[a].size()];
  throw UserError(
      "E-SRV-012", nearest(missing).place,
      fmt::format("the {} is missing: expected a row for every combination of the executed values of {}; "
                  "this is the nearest executed point",
                  step_text(phase_, missing), range_text()));
}

std::size_t StepGrid::cell_of(const StepPoint& at) const {
  std::size_t cell = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const std::vector<double>& values = values_[a];
    const auto found = std::lower_bound(values.begin(), values.end(), along(at, axes_[a]));
    cell += static_cast<std::size_t>(found - values.begin()) * stride_[a];
  }
  return cell;
}

std::optional<StepGrid::Position> StepGrid::position(std::size_t axis, double value) const {
  const std::vector<double>& values = values_[axis];
  if (values.empty() || value < values.front() || value > values.back()) return std::nullopt;
  const auto above = std::lower_bound(values.begin(), values.end(), value);
  const auto index = static_cast<std::size_t>(above - values.begin());
  if (*above == value) return Position{index, 0};
  return Position{index - 1, (value - values[index - 1]) / (*above - values[index - 1])};
}

bool StepGrid::contains(const StepPoint& at) const {
  for (std::size_t a = 0; a < axes_.size(); ++a)
    if (!std::binary_search(values_[a].begin(), values_[a].end(), along(at, axes_[a]))) return false;
  return true;
}

std::optional<StepCost> StepGrid::cost_at(const StepPoint& at) const {
  std::array<Position, kStepAxes> where{};
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const auto found = position(a, along(at, axes_[a]));
    if (!found) return std::nullopt;
    where[a] = *found;
  }
  StepCost sum;
  for (std::size_t corner = 0; corner < (std::size_t{1} << axes_.size()); ++corner) {
    double weight = 1;
    std::size_t cell = 0;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const bool upper = (corner >> a & 1) != 0;
      weight *= upper ? where[a].share : 1 - where[a].share;
      cell += (where[a].index + (upper ? 1 : 0)) * stride_[a];
    }
    if (weight == 0) continue;
    sum.seconds += weight * cells_[cell].seconds;
    sum.joules += weight * cells_[cell].joules;
  }
  return sum;
}

const ExecutedStep& StepGrid::nearest(const StepPoint& at) const {
  const auto distance = [&](const ExecutedStep& step) {
    double sum = 0;
    for (const StepAxis axis : axes_)
      sum += std::abs(std::log2((along(at, axis) + 1) / (along(step.at, axis) + 1)));
    return sum;
  };
  return *std::min_element(steps_.begin(), steps_.end(), [&](const ExecutedStep& a, const ExecutedStep& b) {
    return distance(a) < distance(b);
  });
}

std::string StepGrid::range_text() const {
  std::vector<std::string> parts;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    parts.push_back(fmt::format("{} {} .. {}", base::name_in(kStepAxisNames, axes_[a]), values_[a].front(),
                                values_[a].back()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace tahoma::runtime::serving
