// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/sweep_points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "model/base/error.h"
#include "runtime/config/config.h"
#include "studies/sweep/spec/derived.h"
#include "studies/sweep/spec/steps.h"
#include "studies/sweep/spec/sweep_parameters.h"

namespace tahoma::runtime {
namespace {

using base::UserError;

constexpr double kMostCandidates = 100;  // examined by filters, per allowed point of the sweep

std::vector<std::size_t> sizes_of(const SweepSpec& spec) {
  std::vector<std::size_t> sizes;
  for (const Axis& axis : spec.axes) sizes.push_back(axis.size());
  return sizes;
}

double candidates_of(const SweepSpec& spec) {
  if (spec.sample) return static_cast<double>(spec.sample->points);
  double grid = 1;
  for (const Axis& axis : spec.axes) grid *= static_cast<double>(axis.size());
  return grid;
}

std::string counted(double count) {
  constexpr double kExact = 1e15;
  return count < kExact ? fmt::format("{:.0f}", count) : fmt::format("{:.3g}", count);
}

[[noreturn]] void refuse_many(const SweepSpec& spec, const std::string& points) {
  std::vector<std::string> factors;
  if (spec.sample) factors.push_back(fmt::format("{} samples", spec.sample->points));
  if (!spec.sample)
    for (const Axis& axis : spec.axes) factors.push_back(fmt::format("{} of {}", axis.size(), axis.name()));
  if (spec.workloads.size() > 1) factors.push_back(fmt::format("{} workloads", spec.workloads.size()));
  throw UserError("E-SWP-014", spec.file.empty() ? spec.axes.front().tracks.front().place : spec.file,
                  fmt::format("{} points ({}), at most {}: take fewer values, draw a sample such as 'sample: "
                              "{{method: latin_hypercube, points: 100}}', or raise 'limits.points'",
                              points, fmt::join(factors, " x "), spec.limits.points));
}

void require_limit(const SweepSpec& spec) {
  const double candidates = candidates_of(spec) * static_cast<double>(spec.workloads.size());
  const double most = static_cast<double>(spec.limits.points) * (spec.where.empty() ? 1 : kMostCandidates);
  if (candidates > most)
    refuse_many(spec, (spec.where.empty() ? "" : "before 'where' ") + counted(candidates));
}

// All combinations, the last axis varies fastest.
class Grid {
 public:
  explicit Grid(std::vector<std::size_t> sizes) : sizes_(std::move(sizes)), at_(sizes_.size()) {}
  const Coordinates& at() const { return at_; }
  bool next() {
    for (std::size_t axis = sizes_.size(); axis-- > 0;) {
      if (++at_[axis].index < sizes_[axis]) return true;
      at_[axis].index = 0;
    }
    return false;
  }

 private:
  std::vector<std::size_t> sizes_;
  Coordinates at_;
};

// Number of candidates that each filter drops.
struct Drops {
  std::uint64_t candidates = 0;
  std::vector<std::uint64_t> dropped;
};

// Generates the points of one workload. Its configuration is set to the values of the current candidate.
class Maker {
 public:
  Maker(const SweepSpec& spec, const std::string& workload, Drops& drops)
      : spec_(spec),
        workload_(workload),
        config_(resolve_values({workload, spec.machine, spec.overrides, spec.mode, spec.seed})),
        base_(names_of(*config_)),
        drops_(drops),
        limits_area_(std::any_of(spec.where.begin(), spec.where.end(), [](const Expression& where) {
          return std::any_of(where.names().begin(), where.names().end(),
                             [](const std::string& name) { return name.starts_with(kAreaFigures); });
        })) {}

  // Appends the candidate unless a filter drops it.
  void add(const Coordinates& candidate, std::vector<SweepPoint>& points) {
    place(candidate);
    const Names names{[this](const std::string& name) { return value(name); }, base_.known, base_.word};
    derived_.clear();
    for (const auto& [path, expression] : spec_.derived) derived_[path] = expression.value(names);
    if (limits_area_) derive_all();
    if (!passes(names)) return;
    if (!limits_area_) derive_all();
    SweepPoint point;
    point.number = points.size();
    point.workload = workload_;
    for (const Axis& axis : spec_.axes)
      for (const Track& track : axis.tracks) record(track.path, point);
    for (const auto& [path, expression] : spec_.derived) record(path, point);
    points.push_back(std::move(point));
  }

 private:
  std::optional<double> value(const std::string& name) const {
    const auto derived = derived_.find(name);
    return derived == derived_.end() ? base_.value(name) : derived->second;
  }

  base::Param& param(const std::string& path) { return tree_of(*config_, path, "").at(path, ""); }

  void place(const Coordinates& candidate) {
    for (std::size_t i = 0; i < spec_.axes.size(); ++i)
      for (const Track& track : spec_.axes[i].tracks) {
        const std::string text = track.range
                                     ? value_at(param(track.path).value, *track.range, candidate[i].position)
                                     : track.values[candidate[i].index];
        std::string& old = placed_[track.path];
        if (old != text) tree_of(*config_, track.path, track.place).set(track.path, text, track.place);
        old = text;
      }
  }

  bool passes(const Names& names) {
    ++drops_.candidates;
    bool all = true;
    for (std::size_t i = 0; i < spec_.where.size(); ++i) {
      if (spec_.where[i].value(names) != 0) continue;
      ++drops_.dropped[i];
      all = false;
    }
    return all;
  }

  void derive_all() {
    for (const auto& [path, expression] : spec_.derived) derive(path, expression);
  }

  void derive(const std::string& path, const Expression& expression) {
    try {
      const std::string text = text_of_number(param(path).value, derived_.at(path));
      tree_of(*config_, path, "").set(path, text, "");
    } catch (const UserError& e) {
      std::vector<std::string> given;
      for (const auto& [axis, text] : placed_) given.push_back(fmt::format("{} = {}", axis, text));
      throw UserError("E-SWP-031", expression.place(),
                      fmt::format("'{}' from '{}': {} ({}); use 'where' to exclude such points", path,
                                  expression.text(), e.message, fmt::join(given, ", ")));
    }
  }

  void record(const std::string& path, SweepPoint& point) {
    const base::ParamRef& now = param(path).value;
    const std::string text = base::text_of(now);
    std::optional<double> number = number_of(now);
    if (number && std::isinf(*number)) number.reset();
    point.overrides.push_back(override_of(path, text));
    point.parameters.push_back({path, text, number});
  }

  const SweepSpec& spec_;
  const std::string& workload_;
  std::unique_ptr<ResolvedConfig> config_;
  Names base_;
  Drops& drops_;
  const bool limits_area_;                     // a filter reads the area, for which derived values are needed
  std::map<std::string, std::string> placed_;  // texts of the axes, by path
  std::map<std::string, double> derived_;      // not yet rounded to the values of their parameters
};

[[noreturn]] void refuse_all(const SweepSpec& spec, const Drops& drops) {
  std::vector<std::string> filters;
  for (std::size_t i = 0; i < spec.where.size(); ++i)
    filters.push_back(fmt::format("'{}' drops {}", spec.where[i].text(), drops.dropped[i]));
  throw UserError("E-SWP-030", spec.where.front().place(),
                  fmt::format("none of {} points is left: {}; relax 'where'", drops.candidates,
                              fmt::join(filters, ", ")));
}

}  // namespace

std::vector<SweepPoint> points_of(const SweepSpec& spec) {
  require_limit(spec);
  std::vector<SweepPoint> points;
  Drops drops{0, std::vector<std::uint64_t>(spec.where.size())};
  std::vector<Coordinates> drawn;
  if (spec.sample) drawn = draw(*spec.sample, sizes_of(spec));
  for (const std::string& workload : spec.workloads) {
    Maker maker(spec, workload, drops);
    const auto add = [&](const Coordinates& candidate) {
      maker.add(candidate, points);
      if (points.size() > spec.limits.points)
        refuse_many(spec, fmt::format("more than {}", spec.limits.points));
    };
    for (const Coordinates& candidate : drawn) add(candidate);
    if (spec.sample) continue;
    Grid grid(sizes_of(spec));
    do add(grid.at());
    while (grid.next());
  }
  if (points.empty()) refuse_all(spec, drops);
  return points;
}

}  // namespace tahoma::runtime
