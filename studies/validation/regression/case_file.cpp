// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/case_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "model/base/quantity.h"
#include "runtime/config/config_files.h"
#include "runtime/run/program_checks.h"
#include "studies/validation/regression/values/kept_values.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;
using base::FlatConfig, base::Leaf, base::ParamTree, base::UserError;

namespace {

const std::string kRoot = "cases", kPatterns = kRoot + ".statistics", kRuns = kRoot + ".runs";

FlatConfig read(const std::string& path) { return base::flatten(read_config_text(path), read_extended); }

bool is_below(const std::string& path, const std::string& group) {
  return path.starts_with(group) && path.size() > group.size() &&
         (path[group.size()] == '.' || path[group.size()] == '[');
}

// Removes the leaves at and below `group` from `config` and returns them.
FlatConfig take_group(FlatConfig& config, const std::string& group) {
  FlatConfig taken;
  for (const Leaf& leaf : config.leaves)
    if (leaf.path == group || is_below(leaf.path, group)) taken.leaves.push_back(leaf);
  std::erase_if(config.leaves,
                [&](const Leaf& leaf) { return leaf.path == group || is_below(leaf.path, group); });
  return taken;
}

// The names after `group` and '.', or in '[' and ']', in the order of the file, with their places.
std::vector<std::pair<std::string, std::string>> names_below(const FlatConfig& config,
                                                             const std::string& group) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Leaf& leaf : config.leaves) {
    if (!is_below(leaf.path, group)) continue;
    const std::string name = leaf.path.substr(0, leaf.path.find_first_of(".[", group.size() + 1));
    if (names.empty() || names.back().first != name) names.emplace_back(name, leaf.key_place);
  }
  return names;
}

void require_key(const std::string& value, const std::string& path, const std::string& place) {
  if (value.empty()) throw UserError("E-REG-002", place, fmt::format("key '{}' is missing", path));
}

double fraction_of(const std::string& text, const std::string& path, const std::string& place) {
  try {
    if (text.ends_with(" %")) return base::parse_number(text.substr(0, text.size() - 2)) / 100;
  } catch (const UserError&) {  // reported below
  }
  throw UserError("E-REG-003", place,
                  fmt::format("'{}': expected a percentage such as '1 %', got '{}'", path, text));
}

Tolerance read_tolerance(const FlatConfig& config, const std::string& root, const std::string& place) {
  Tolerance tolerance;
  std::string fraction;
  ParamTree tree(root);
  tree.add("statistics", tolerance.pattern, "", {}, "the statistics: a name; '*' matches any text",
           base::chosen());
  tree.add("tolerance", fraction, "", {}, "largest change, percent of the golden", base::chosen());
  tree.add("reason", tolerance.reason, "", {}, "why they may change", base::chosen());
  base::apply(config, tree);
  require_key(tolerance.pattern, root + ".statistics", place);
  require_key(fraction, root + ".tolerance", place);
  if (tolerance.reason.empty())
    throw UserError("E-REG-003", place,
                    fmt::format("'{}.reason' is missing: a tolerance must state why '{}' may change", root,
                                tolerance.pattern));
  tolerance.fraction = fraction_of(fraction, root + ".tolerance", tree.find(root + ".tolerance")->set_at);
  tolerance.place = place;
  return tolerance;
}

std::vector<Tolerance> read_tolerances(const FlatConfig& config, const std::string& group) {
  std::vector<Tolerance> tolerances;
  for (const auto& [root, place] : names_below(config, group)) {
    if (!root.ends_with(']'))
      throw UserError("E-REG-002", place, fmt::format("'{}': expected a list of tolerances", group));
    tolerances.push_back(read_tolerance(config, root, place));
  }
  return tolerances;
}

model::check::Options read_checks(const FlatConfig& config, const std::string& group) {
  model::check::Options checks;
  for (const Leaf& leaf : config.leaves) {
    if (leaf.path == group)
      throw UserError("E-REG-002", leaf.place, fmt::format("'{}': expected a list such as [races]", group));
    if (!enable_check(checks, leaf.text))
      throw UserError("E-REG-016", leaf.place,
                      fmt::format("'{}': unknown check '{}': expected {}{}", group, leaf.text,
                                  fmt::join(program_check_names(), ", "),
                                  base::did_you_mean(leaf.text, program_check_names())));
  }
  return checks;
}

void check_name(const std::string& name, const std::string& place) {
  if (!name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos)
    return;
  throw UserError("E-REG-001", place,
                  fmt::format("'{}' is not a valid case name: expected a-z, 0-9 and '_'", name));
}

RegressionCase read_case(FlatConfig config, const std::string& root, const std::string& place,
                         const fs::path& folder) {
  RegressionCase found;
  found.name = root.substr(kRuns.size() + 1);
  found.place = place;
  const FlatConfig set = take_group(config, root + ".set");
  found.tolerances = read_tolerances(take_group(config, root + ".tolerances"), root + ".tolerances");
  found.checks = read_checks(take_group(config, root + ".check"), root + ".check");
  ConfigRequest& request = found.request;
  ParamTree tree(root);
  tree.add("workload", request.workload, "", {}, "YAML file of the workload, next to this file",
           base::chosen());
  tree.add("machine", request.machine, "", {}, "preset or file; replaces that of the workload",
           base::chosen());
  tree.add("mode", request.mode, "", {}, "functional or timing", base::chosen());
  tree.add("seed", request.seed, "", {}, "seed of generated inputs", base::chosen());
  base::apply(config, tree);
  require_key(request.workload, root + ".workload", place);
  request.workload = (folder / request.workload).lexically_normal().string();
  if (!request.machine.empty())
    request.machine = find_machine(request.machine, folder, tree.find(root + ".machine")->set_at);
  for (const Leaf& leaf : set.leaves) {
    if (!is_below(leaf.path, root + ".set"))
      throw UserError("E-REG-002", leaf.place, fmt::format("'{}': expected a map of path: value", leaf.path));
    Leaf setting = leaf;
    setting.path = leaf.path.substr(root.size() + sizeof(".set"));
    request.settings.push_back(std::move(setting));
  }
  return found;
}

std::vector<std::string> read_patterns(const FlatConfig& config) {
  std::vector<std::string> patterns;
  for (const Leaf& leaf : config.leaves) {
    if (leaf.path == kPatterns || !leaf.path.ends_with(']'))
      throw UserError("E-REG-002", leaf.place, fmt::format("'{}': expected a list of patterns", kPatterns));
    patterns.push_back(leaf.text);
  }
  return patterns.empty() ? default_patterns() : patterns;
}

void require_cases(const std::vector<std::string>& only, const std::vector<std::string>& names) {
  for (const std::string& name : only)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UserError("E-REG-012", "--case " + name,
                      fmt::format("unknown case: expected {}{}", fmt::join(names, ", "),
                                  base::did_you_mean(name, names)));
}

}  // namespace

bool is_case_file(const std::string& path) {
  const FlatConfig config = read(path);
  return std::any_of(config.leaves.begin(), config.leaves.end(),
                     [](const Leaf& leaf) { return leaf.path == kRoot || is_below(leaf.path, kRoot); });
}

CaseFile load_case_file(const std::string& path, const std::vector<std::string>& only) {
  FlatConfig config = read(path);
  CaseFile file;
  file.file = path;
  const fs::path folder = fs::path(path).parent_path();
  file.goldens = (folder / "goldens" / fs::path(path).stem()).string();
  const FlatConfig runs = take_group(config, kRuns);
  file.patterns = read_patterns(take_group(config, kPatterns));
  ParamTree tree(kRoot);
  tree.add("title", file.title, "", {}, "what the cases guard", base::chosen());
  tree.add("values", file.values, kValuesKept, {0, std::uint64_t{1} << 24},
           "values kept of each output, to show the errors of changed ones", base::chosen());
  for (const Leaf& leaf : config.leaves) tree.set(leaf.path, leaf.text, leaf.key_place);
  require_key(file.title, kRoot + ".title", path);
  const auto roots = names_below(runs, kRuns);
  if (roots.empty()) throw UserError("E-REG-002", path, fmt::format("key '{}' is missing", kRuns));
  for (const auto& [root, place] : roots) {
    file.all_names.push_back(root.substr(kRuns.size() + 1));
    check_name(file.all_names.back(), place);
  }
  require_cases(only, file.all_names);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto& [root, place] = roots[i];
    if (!only.empty() && std::find(only.begin(), only.end(), file.all_names[i]) == only.end()) continue;
    FlatConfig all = runs;
    file.cases.push_back(read_case(take_group(all, root), root, place, folder));
  }
  return file;
}

}  // namespace tahoma::runtime
