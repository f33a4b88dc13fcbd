// SPDX-License-Identifier: Apache-2.0
// Writes sweeps as files.
#include <fmt/format.h>

#include <filesystem>

#include "model/base/loader/config_loader.h"
#include "model/base/quantity.h"
#include "studies/sweep/spec/spec.h"

namespace tahoma::runtime {
namespace {

namespace fs = std::filesystem;
using base::yaml_scalar;

std::string absolute(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

// A preset has no path.
std::string machine_text(const std::string& machine) {
  std::error_code ignored;
  return fs::is_regular_file(machine, ignored) ? absolute(machine) : machine;
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + yaml_scalar(text);
  return "[" + list + "]";
}

std::string values_of(const Track& track) {
  if (!track.range) return list_of(track.values);
  return fmt::format("{{from: {}, to: {}, log: {}}}", yaml_scalar(track.range->from),
                     yaml_scalar(track.range->to), track.range->log);
}

void write_text(std::string& out, const char* key, const std::string& text) {
  if (!text.empty()) out += fmt::format("  {}: {}\n", key, yaml_scalar(text));
}

void write_axes(std::string& out, const std::vector<Axis>& axes) {
  out += "  axes:\n";
  for (const Axis& axis : axes) {
    const char* bullet = "    - ";
    for (const Track& track : axis.tracks) {
      out += fmt::format("{}{}: {}\n", bullet, track.path, values_of(track));
      bullet = "      ";
    }
  }
}

void write_expressions(std::string& out, const char* key,
                       const std::vector<std::pair<std::string, Expression>>& expressions) {
  if (!expressions.empty()) out += fmt::format("  {}:\n", key);
  for (const auto& [name, expression] : expressions)
    out += fmt::format("    {}: {}\n", name, yaml_scalar(expression.text()));
}

// Overrides are texts of --set, whose values may be maps.
void write_overrides(std::string& out, const std::vector<std::string>& overrides) {
  std::vector<base::Leaf> last;
  for (const std::string& argument : overrides)
    for (base::Leaf& leaf : base::parse_override(argument)) {
      std::erase_if(last, [&](const base::Leaf& other) { return other.path == leaf.path; });
      last.push_back(std::move(leaf));
    }
  if (!last.empty()) out += "  set:\n";
  for (const base::Leaf& leaf : last) out += fmt::format("    {}: {}\n", leaf.path, yaml_scalar(leaf.text));
}

}  // namespace

std::string SweepSpec::to_yaml() const {
  std::string out = "sweep:\n";
  write_text(out, "title", title);
  std::vector<std::string> paths;
  for (const std::string& workload : workloads) paths.push_back(absolute(workload));
  out += fmt::format("  workloads: {}\n", list_of(paths));
  write_text(out, "machine", machine_text(machine));
  write_text(out, "mode", mode);
  write_text(out, "seed", seed);
  if (repeat > 0) out += fmt::format("  repeat: {}\n", repeat);
  write_overrides(out, overrides);
  write_axes(out, axes);
  write_expressions(out, "derive", derived);
  std::vector<std::string> filters;
  for (const Expression& filter : where) filters.push_back(filter.text());
  if (!filters.empty()) out += fmt::format("  where: {}\n", list_of(filters));
  if (sample)
    out += fmt::format("  sample: {{method: {}, points: {}, seed: {}}}\n", sample->method, sample->points,
                       sample->seed);
  write_expressions(out, "metrics", metrics);
  out += fmt::format("  limits: {{points: {}, time: {}, memory: {}, retries: {}}}\n", limits.points,
                     limits.time == 0 ? "none" : base::to_text(limits.time) + " s",
                     base::to_text(limits.memory), limits.retries);
  return out;
}

std::string SweepSpec::points_yaml() const {
  SweepSpec points = *this;
  points.title.clear();
  points.metrics.clear();
  points.limits = {};
  return points.to_yaml();
}

}  // namespace tahoma::runtime
