// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "runtime/config/config_files.h"

namespace tahoma::runtime {
namespace {

using base::FlatConfig, base::Leaf, base::ParamTree, base::UserError;

bool in_group(const std::string& path, const std::string& root) {
  return path == root || (path.starts_with(root) && (path[root.size()] == '.' || path[root.size()] == '['));
}

bool in_groups(const std::string& path, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](const std::string& root) { return in_group(path, root); });
}

void require_roots(const FlatConfig& config, const std::vector<std::string>& roots) {
  std::vector<Leaf> all = config.leaves;
  all.insert(all.end(), config.empty.begin(), config.empty.end());
  for (const Leaf& leaf : all) {
    if (in_groups(leaf.path, roots)) continue;
    const std::string key = leaf.path.substr(0, leaf.path.find_first_of(".["));
    throw UserError("E-CFG-002", leaf.key_place,
                    fmt::format("unknown key '{}': expected {}{}", key, fmt::join(roots, ", "),
                                base::did_you_mean(key, roots)));
  }
}

FlatConfig part_of(const FlatConfig& config, const std::vector<std::string>& roots) {
  FlatConfig part;
  std::copy_if(config.leaves.begin(), config.leaves.end(), std::back_inserter(part.leaves),
               [&](const Leaf& leaf) { return in_groups(leaf.path, roots); });
  return part;
}

const std::vector<std::string> kRunKeys{"kind", "mode", "seed", "not_finite", "unwritten"};

struct MachineName {
  std::string name, place;
  std::filesystem::path beside;  // folder of the file that names it
};

MachineFile read_machine(const MachineName& machine) {
  MachineFile file{find_machine(machine.name, machine.beside, machine.place), {}};
  file.values = base::flatten_keeping_empty(read_config_text(file.path), read_extended);
  require_roots(file.values, {"machine"});
  return file;
}

// The file of the machine, if one is named.
std::optional<MachineFile> resolve_machine(const ConfigRequest& request, FlatConfig& config,
                                           ParamTree& tree) {
  std::optional<MachineName> base_machine;
  if (!request.machine.empty()) {
    // It belongs to no file, so it is searched in the working directory.
    base_machine = MachineName{request.machine, "--machine " + request.machine, {}};
    std::erase_if(config.leaves, [](const Leaf& leaf) { return in_group(leaf.path, "machine"); });
  } else {
    auto named = config.take("machine");
    if (!named) named = config.take("machine.extends");
    if (named) base_machine = MachineName{named->text, named->place, named->folder};
  }
  std::optional<MachineFile> file;
  if (base_machine) {
    file = read_machine(*base_machine);
    base::refuse_empty(file->values, {&tree});
    base::apply(file->values, tree);
  }
  base::apply(config, tree);
  return file;
}

void resolve_run(const ConfigRequest& request, const FlatConfig& config,
                 const std::vector<WorkloadKind>& kinds, ResolvedConfig& resolved) {
  resolved.run.declare(resolved.run_tree, kinds);
  const FlatConfig given = part_of(config, kRunKeys);
  if (given.find("kind") == nullptr)
    throw UserError(
        "E-CFG-022", request.workload,
        fmt::format("key 'kind' is missing: expected {}", resolved.run_tree.at("kind", "").range_text));
  base::apply(given, resolved.run_tree);
  if (!request.mode.empty()) resolved.run_tree.set("mode", request.mode, "--mode " + request.mode);
  if (!request.seed.empty()) resolved.run_tree.set("seed", request.seed, "--seed " + request.seed);
}

void make_workload(const std::vector<WorkloadKind>& kinds, ResolvedConfig& resolved) {
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const WorkloadKind& k) { return k.name == resolved.run.kind; });
  resolved.workload = kind->make();
  resolved.workload->declare(resolved.workload_tree);
}

std::vector<Leaf> parse_overrides(const std::vector<std::string>& arguments) {
  std::vector<Leaf> leaves;
  for (const std::string& argument : arguments)
    for (Leaf& leaf : base::parse_override(argument)) leaves.push_back(std::move(leaf));
  return leaves;
}

[[noreturn]] void refuse_override(const Leaf& leaf, const ResolvedConfig& resolved) {
  std::vector<std::string> paths = kRunKeys;
  for (const ParamTree* tree : {&resolved.machine_tree, &resolved.workload_tree})
    for (const std::string& path : tree->paths()) paths.push_back(path);
  throw UserError("E-CFG-002", leaf.place,
                  fmt::format("unknown parameter '{}': paths begin with 'machine.' or 'workload.'{}",
                              leaf.path, base::did_you_mean(leaf.path, paths)));
}

// The place at which the parameter or group at `path` was set, "" if it has its defaults.
std::string place_of(const ParamTree& tree, const std::string& path) {
  for (const base::Param& param : tree.params())
    if (in_group(param.path, path) && !param.set_at.empty()) return param.set_at;
  return "";
}

// A check knows the invalid parameter or group; the tree knows where it was set.
void check_at(const ParamTree& tree, const std::function<void()>& check) {
  try {
    check();
  } catch (const UserError& e) {
    const std::string place = place_of(tree, e.place);
    if (place.empty()) throw;
    throw UserError(e.code, place, fmt::format("'{}': {}", e.place, e.message), e.status);
  }
}

// In a generated case the place of a value is that of its origin.
void place_at_origins(const CaseOrigins& origins, std::vector<Leaf>& leaves) {
  for (Leaf& leaf : leaves)
    if (const CaseOrigin* origin = origins.of(leaf.path)) leaf.place = leaf.key_place = origin->place;
}

std::unique_ptr<ResolvedConfig> resolved_values(const ConfigRequest& request,
                                                const std::vector<WorkloadKind>& kinds) {
  FlatConfig config =
      base::flatten_keeping_empty(request.text.empty() ? read_config_text(request.workload)
                                                       : base::NamedText{request.workload, request.text},
                                  read_extended);
  require_roots(config, {"kind", "machine", "mode", "seed", "not_finite", "unwritten", "workload"});
  place_at_origins(request.origins, config.leaves);
  std::vector<Leaf> overrides = request.settings;
  for (Leaf& leaf : parse_overrides(request.overrides)) overrides.push_back(std::move(leaf));

  auto resolved = std::make_unique<ResolvedConfig>();
  resolved->machine.declare(resolved->machine_tree);
  resolved->machine_file = resolve_machine(request, config, resolved->machine_tree);
  resolve_run(request, config, kinds, *resolved);
  // The kind determines the parameters below `workload`, so --set kind=... comes before them.
  for (const Leaf& leaf : overrides)
    if (in_groups(leaf.path, kRunKeys)) resolved->run_tree.set(leaf.path, leaf.text, leaf.place);
  make_workload(kinds, *resolved);
  base::refuse_empty(config, {&resolved->machine_tree, &resolved->workload_tree});
  base::apply(config, resolved->workload_tree);
  for (const Leaf& leaf : overrides) {
    if (in_group(leaf.path, "machine")) {
      resolved->machine_tree.set(leaf.path, leaf.text, leaf.place, leaf.folder);
    } else if (in_group(leaf.path, "workload")) {
      resolved->workload_tree.set(leaf.path, leaf.text, leaf.place, leaf.folder);
    } else if (!in_groups(leaf.path, kRunKeys)) {
      refuse_override(leaf, *resolved);
    }
  }
  return resolved;
}

}  // namespace

void RunParams::declare(ParamTree& tree, const std::vector<WorkloadKind>& kinds) {
  std::vector<std::string> names;
  for (const WorkloadKind& known : kinds) names.push_back(known.name);
  TAHOMA_INVARIANT(!names.empty(), "no kind of workload is registered");
  tree.add("kind", kind, names.front(), names, "kind of workload", base::chosen());
  tree.add("mode", mode, model::Mode::kFunctional, model::kModes, "compute all values, or only times",
           base::chosen());
  tree.add("seed", seed, std::uint64_t{1}, {0, UINT64_MAX}, "seed of generated inputs", base::chosen());
  tree.add("not_finite", not_finite, NotFinite::kRefused, kNotFiniteNames,
           "NaN and infinite results where all values of the files are finite", base::chosen());
  tree.add("unwritten", unwritten, std::uint64_t{0}, {0, 255},
           "byte that SBUF and PSUM hold until something writes them, in functional mode", base::chosen());
}

std::string ResolvedConfig::to_yaml(const base::PathMap& map) const {
  return "# Every value of one run. `tahoma run` of this file repeats it.\n" +
         base::to_yaml(run_tree, "", map) + base::to_yaml(workload_tree, "workload", map) +
         base::to_yaml(machine_tree, "machine", map);
}

std::unique_ptr<ResolvedConfig> resolve_values(const ConfigRequest& request,
                                               const std::vector<WorkloadKind>& kinds) {
  return request.origins.with_origins([&] { return resolved_values(request, kinds); });
}

std::unique_ptr<ResolvedConfig> resolve_config(const ConfigRequest& request,
                                               const std::vector<WorkloadKind>& kinds) {
  auto resolved = resolve_values(request, kinds);
  request.origins.with_origins([&] {
    check_at(resolved->machine_tree, [&] { resolved->machine.check(); });
    check_at(resolved->workload_tree, [&] { resolved->workload->check(resolved->machine); });
  });
  return resolved;
}

MachineFile read_machine_file(const std::string& machine) {
  MachineFile file = read_machine({machine, "machine " + machine, {}});
  base::refuse_empty(file.values, {});
  return file;
}

std::unique_ptr<ResolvedMachine> resolve_machine_alone(const std::string& machine,
                                                       const std::vector<std::string>& overrides) {
  auto resolved = std::make_unique<ResolvedMachine>();
  ParamTree& tree = resolved->tree;
  resolved->params.declare(tree);
  FlatConfig nothing;
  ConfigRequest request;
  request.machine = machine;
  resolve_machine(request, nothing, tree);
  for (const Leaf& leaf : parse_overrides(overrides)) tree.set(leaf.path, leaf.text, leaf.place);
  check_at(tree, [&] { resolved->params.check(); });
  return resolved;
}

model::MachineParams resolve_machine_params(const std::string& machine,
                                            const std::vector<std::string>& overrides) {
  return resolve_machine_alone(machine, overrides)->params;
}

}  // namespace tahoma::runtime
