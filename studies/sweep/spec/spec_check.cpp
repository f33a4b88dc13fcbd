// SPDX-License-Identifier: Apache-2.0
// Checks a sweep against the configurations of its workloads.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <variant>

#include "model/base/error.h"
#include "runtime/config/config.h"
#include "studies/sweep/spec/spec_text.h"
#include "studies/sweep/spec/sweep_parameters.h"

namespace tahoma::runtime {
namespace {

using base::Leaf, base::UserError;

const std::vector<std::string> kRangeWords{"from", "to", "step", "factor", "log"};

// The base configurations of points, one per workload.
class Bases {
 public:
  explicit Bases(const SweepSpec& spec) {
    for (const std::string& workload : spec.workloads)
      configs_.emplace_back(workload, resolve_values({workload, spec.machine, {}, "", ""}));
  }

  // Calls it for each; with several workloads, an error names the one that it concerns.
  void each(const std::function<void(ResolvedConfig&)>& action) {
    for (auto& [workload, config] : configs_) try {
        action(*config);
      } catch (const UserError& e) {
        if (configs_.size() == 1) throw;
        throw UserError(e.code, e.place, fmt::format("{} ({})", e.message, workload), e.status);
      }
  }

 private:
  std::vector<std::pair<std::string, std::unique_ptr<ResolvedConfig>>> configs_;
};

// Records what sets each parameter; no parameter may be set twice.
class Roles {
 public:
  void claim(const std::string& path, const std::string& role, const std::string& place) {
    if (path == "kind")
      throw UserError("E-SWP-018", place, "'kind' determines the parameters: use several workloads instead");
    const auto [old, is_new] = roles_.try_emplace(path, role, place);
    if (!is_new)
      throw UserError("E-SWP-017", place,
                      fmt::format("'{}' is set by {} and also by {} at {}: remove one of them", path, role,
                                  old->second.first, old->second.second));
  }

 private:
  std::map<std::string, std::pair<std::string, std::string>> roles_;  // role and place by path
};

// The sweep has a mode and a seed of its own beside the overrides.
bool is_option(const Leaf& leaf, const SweepSpec& spec) {
  return (leaf.path == "mode" && leaf.text == spec.mode) || (leaf.path == "seed" && leaf.text == spec.seed);
}

void apply_overrides(const SweepText& text, Bases& bases, Roles& roles, SweepSpec& spec) {
  std::map<std::string, std::string> last;  // the last one counts
  for (const Leaf& leaf : text.overrides) {
    last[leaf.path] = leaf.place;
    std::string value;
    bases.each([&](ResolvedConfig& config) {
      base::ParamTree& tree = tree_of(config, leaf.path, leaf.key_place);
      tree.at(leaf.path, leaf.key_place);
      value = with_absolute_paths(config, leaf.path, leaf.text, leaf.folder);
      tree.set(leaf.path, value, leaf.place);
    });
    if (!is_option(leaf, spec)) spec.overrides.push_back(override_of(leaf.path, value));
  }
  for (const auto& [path, place] : last) roles.claim(path, "'set'", place);
}

// "machine.link.x.steps": a range with an invalid key.
void refuse_range_key(const TrackText& track, base::ParamTree& tree) {
  const std::size_t dot = track.path.rfind('.');
  if (tree.find(track.path) != nullptr || dot == std::string::npos) return;
  const std::string parent = track.path.substr(0, dot), key = track.path.substr(dot + 1);
  if (tree.find(parent) == nullptr) return;
  throw UserError("E-SWP-002", track.place,
                  fmt::format("'{}' takes values or a range with the keys from, to and step, factor or log; "
                              "'{}' is not one of these keys{}",
                              parent, key, base::did_you_mean(key, kRangeWords)));
}

// One value for a parameter with the same name as a key of ranges: 'machine.chip.core.sequencer.sync.step: 86
// cyc'.
TrackText untangled(const TrackText& text, base::ParamTree& tree) {
  const std::string path = text.path + ".step";
  if (!text.step || text.from || text.to || tree.find(path) == nullptr) return text;
  TrackText value;
  value.path = path;
  value.place = text.place;
  value.values = {*text.step};
  return value;
}

Track read_in(const TrackText& written, const std::string& folder, ResolvedConfig& config) {
  base::ParamTree& tree = tree_of(config, written.path, written.place);
  TrackText text = untangled(written, tree);
  for (Written& value : text.values) value.text = with_absolute_paths(config, text.path, value.text, folder);
  refuse_range_key(text, tree);
  return read_track(text, tree);
}

// The parameter is legal for the first workload; checks another.
void require_legal(const Track& track, ResolvedConfig& config) {
  base::ParamTree& tree = tree_of(config, track.path, track.place);
  for (const std::string& value : track.values) tree.set(track.path, value, track.place);
  if (!track.range) return;
  tree.set(track.path, track.range->from, track.place);
  tree.set(track.path, track.range->to, track.place);
}

Axis read_axis(const std::vector<TrackText>& texts, const std::string& folder, Bases& bases, Roles& roles) {
  std::vector<Track> tracks;
  for (const TrackText& text : texts) {
    roles.claim(text.path, "an axis", text.place);
    bool first = true;
    bases.each([&](ResolvedConfig& config) {
      if (first) {
        tracks.push_back(read_in(text, folder, config));
      } else {
        require_legal(tracks.back(), config);
      }
      first = false;
    });
  }
  return linked(std::move(tracks));
}

void require_sample(const SweepSpec& spec) {
  if (spec.sample) return;
  for (const Axis& axis : spec.axes)
    if (axis.continuous())
      throw UserError("E-SWP-005", axis.tracks.front().place,
                      fmt::format("'{}' has neither step nor factor: give it one, or add "
                                  "'sample: {{method: latin_hypercube, points: 100}}'",
                                  axis.name()));
}

// Metrics are known only after the first run, so every name that is not a parameter's is accepted.
Names with_metrics(const Names& parameters) {
  const auto value = [parameters](const std::string& name) -> std::optional<double> {
    const bool parameter = name.starts_with("machine.") || name.starts_with("workload.");
    return parameter ? parameters.value(name) : 0;
  };
  return {value, parameters.known, parameters.word};
}

using NamedExpressions = std::vector<std::pair<std::string, Expression>>;

// Each may use the earlier ones.
void require_order(const NamedExpressions& expressions) {
  for (std::size_t i = 0; i < expressions.size(); ++i)
    for (std::size_t later = i; later < expressions.size(); ++later) {
      const auto& [name, expression] = expressions[i];
      const auto& names = expression.names();
      if (const std::string& other = expressions[later].first;
          std::find(names.begin(), names.end(), other) != names.end())
        throw UserError(
            "E-SWP-024", expression.place(),
            fmt::format("'{}' needs '{}', {}", name, other,
                        later == i ? "which is itself" : "which comes later: change their order"));
    }
}

void require_numeric(const std::string& path, const Written& where, ResolvedConfig& config) {
  const base::Param& param = tree_of(config, path, where.place).at(path, where.place);
  if (base::takes_words(param.value))
    throw UserError("E-SWP-025", where.place,
                    fmt::format("'{}' takes words ({}), but an expression gives a number: use an axis", path,
                                param.range_text));
}

void require_metric_name(const Written& metric, const std::vector<std::string>& parameters) {
  const bool hides = std::find(parameters.begin(), parameters.end(), metric.text) != parameters.end();
  if (hides || !is_free_name(metric.text))
    throw UserError(
        "E-SWP-023", metric.place,
        fmt::format("metric '{}' {}: choose another name, of letters, digits, '_' and '.'", metric.text,
                    hides ? "would hide the parameter" : "cannot be a name, or is a unit or function"));
}

}  // namespace

void check_sweep(const SweepText& text, SweepSpec& spec) {
  if (text.workloads.empty())
    throw UserError("E-SWP-003", text.place, "key 'sweep.workloads' is missing: the cases to run");
  if (text.axes.empty())
    throw UserError(
        "E-SWP-003", text.place,
        "no axes: give parameters values, such as '--sweep machine.chip.hbm.stacks=4,6,8', or in a "
        "file 'axes: [{machine.chip.hbm.stacks: [4, 6, 8]}]'");
  Bases bases(spec);
  Roles roles;
  apply_overrides(text, bases, roles, spec);
  for (const auto& axis : text.axes) spec.axes.push_back(read_axis(axis, text.folder, bases, roles));
  require_sample(spec);
  for (const Written& path : text.derived) {
    roles.claim(path.text, "'derive'", path.place);
    bases.each([&](ResolvedConfig& config) { require_numeric(path.text, path, config); });
  }
  require_order(spec.derived);
  require_order(spec.metrics);
  bases.each([&](ResolvedConfig& config) {
    const Names parameters = names_of(config);
    for (const auto& [path, expression] : spec.derived) expression.require(parameters);
    for (const Expression& expression : spec.where) expression.require(parameters);
    for (const Written& metric : text.metrics) require_metric_name(metric, parameters.known());
    for (const auto& [name, expression] : spec.metrics) expression.require(with_metrics(parameters));
  });
}

}  // namespace tahoma::runtime
