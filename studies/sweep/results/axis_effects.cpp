// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/results/axis_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "studies/sweep/results/metrics.h"
#include "studies/sweep/results/point_table.h"

namespace tahoma::runtime {

namespace {

using Rows = std::vector<Store::Row>;

// Which value of a parameter each point has, by the order in which the values appear.
std::vector<std::size_t> pattern_of(const Rows& rows, const std::string& path) {
  std::vector<std::string> known;
  std::vector<std::size_t> pattern;
  for (const Store::Row& row : rows) {
    const std::string text = text_at(row, path);
    const auto at = std::find(known.begin(), known.end(), text);
    pattern.push_back(static_cast<std::size_t>(at - known.begin()));
    if (at == known.end()) known.push_back(text);
  }
  return pattern;
}

struct SweptAxis {
  std::string paths;
  std::vector<std::size_t> pattern;  // index of the value, by point
};

std::vector<SweptAxis> swept_axes(const Rows& rows) {
  std::set<std::string> paths;
  for (const Store::Row& row : rows)
    for (const SweepPoint::Parameter& p : row.parameters) paths.insert(p.path);
  std::vector<SweptAxis> axes;
  for (const std::string& path : paths) {
    std::vector<std::size_t> pattern = pattern_of(rows, path);
    const auto same = std::find_if(axes.begin(), axes.end(),
                                   [&](const SweptAxis& axis) { return axis.pattern == pattern; });
    if (same == axes.end())
      axes.push_back({path, std::move(pattern)});
    else
      same->paths += ", " + path;
  }
  return axes;
}

struct Measured {
  Metrics measurements, energy;  // the latter with area and cost
};

Measured measured_of(const Store::Row& row, const std::vector<std::string>& own) {
  Measured measured;
  for (const auto& [name, value] : row.metrics) {
    if (std::find(own.begin(), own.end(), name) != own.end()) continue;
    const bool energy = name.starts_with("energy.") || name.starts_with("cost.") || name.starts_with("area.");
    (energy ? measured.energy : measured.measurements)[name] = value;
  }
  return measured;
}

void compare(const Store::Row& a, const Store::Row& b, const std::vector<std::string>& own,
             AxisEffect& effect) {
  ++effect.neighbours;
  const Measured of_a = measured_of(a, own), of_b = measured_of(b, own);
  if (of_a.measurements == of_b.measurements) {
    ++effect.equal;
    effect.energy |= of_a.energy != of_b.energy;
    if (effect.first_equal.empty()) effect.first_equal = fmt::format("points {} and {}", a.number, b.number);
  }
  const auto program = [](const Store::Row& row) {
    const auto at = row.texts.find(kProgramsText);
    return at == row.texts.end() ? std::string() : at->second;
  };
  if (program(a) != program(b)) ++effect.programs;
}

}  // namespace

std::vector<AxisEffect> axis_effects(const Rows& rows, const std::vector<std::string>& own) {
  const std::vector<SweptAxis> axes = swept_axes(rows);
  std::vector<AxisEffect> effects;
  for (std::size_t n = 0; n < axes.size(); ++n) {
    AxisEffect& effect = effects.emplace_back();
    effect.axis = axes[n].paths;
    // Groups points by everything but this axis; within a group, by the order of its values.
    std::map<std::pair<std::string, std::vector<std::size_t>>, std::map<std::size_t, const Store::Row*>>
        lines;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].status != "done") continue;
      std::vector<std::size_t> others;
      for (std::size_t m = 0; m < axes.size(); ++m)
        if (m != n) others.push_back(axes[m].pattern[i]);
      lines[{rows[i].workload, others}].emplace(axes[n].pattern[i], &rows[i]);
    }
    for (const auto& [others, line] : lines)
      for (auto at = line.begin(), next = line.begin(); at != line.end() && ++next != line.end(); at = next)
        compare(*at->second, *next->second, own, effect);
  }
  return effects;
}

std::string effect_text(const AxisEffect& effect) {
  std::string text;
  const char* none = effect.energy ? "has no effect but on energy, area and cost" : "has no effect";
  if (effect.equal > 0)
    text += effect.equal == effect.neighbours
                ? fmt::format("{}: all {} pairs of neighbours measure the same", none, effect.neighbours)
                : fmt::format("{}, on {} of {} pairs of neighbours, first {}", none, effect.equal,
                              effect.neighbours, effect.first_equal);
  if (effect.programs > 0)
    text += fmt::format(
        "{}the programs of {} of {} pairs of neighbours differ: the kernel adapts to the machine and sizes",
        text.empty() ? "" : "; ", effect.programs, effect.neighbours);
  return text;
}

std::string effects_text(const std::vector<AxisEffect>& effects) {
  std::string text;
  for (const AxisEffect& effect : effects)
    if (const std::string said = effect_text(effect); !said.empty())
      text += fmt::format("  {}: {}\n", effect.axis, said);
  return text.empty() ? text : "\neffects of the axes that are not what they seem:\n" + text;
}

}  // namespace tahoma::runtime
