// SPDX-License-Identifier: Apache-2.0
// The machine on the page: its differences from its preset, and the assumptions that the run depends on.
#include <algorithm>
#include <set>

#include "report/page/detail.h"
#include "runtime/config/assumptions.h"
#include "runtime/config/config_files.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;
using base::Param, base::ParamTree;

namespace {

Json values_json(const ParamTree& tree) {
  Json json = Json::object();
  for (const Param& p : tree.params()) json[p.path] = base::text_of(p.value);
  return json;
}

bool is_preset(const std::string& name) {
  const std::vector<std::string> names = preset_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether the run has read the preset that its machine is named after, and no later setting has changed it.
bool is_as_read(const ResolvedConfig& config) {
  const std::optional<MachineFile>& read = config.machine_file;
  if (!read || read->path != find_config(config.machine.name, {}).string()) return false;
  std::set<std::string_view> places{""};
  for (const base::Leaf& leaf : read->values.leaves) places.insert(leaf.place);
  const std::vector<Param>& params = config.machine_tree.params();
  return std::all_of(params.begin(), params.end(), [&](const Param& p) { return places.contains(p.set_at); });
}

// Compares with the preset of that name, or with the declaration if there is none.
Json differences(const ResolvedConfig& config, bool has_preset) {
  Json differs = Json::array();
  if (has_preset && is_as_read(config)) return differs;
  ParamTree usual("machine");
  model::MachineParams params;
  params.declare(usual);
  if (has_preset) base::apply(read_machine_file(config.machine.name).values, usual);
  for (const Param& p : config.machine_tree.params()) {
    usual.demand(p.path);
    const Param* preset = usual.find(p.path);
    const std::string value = base::text_of(p.value),
                      expected = preset == nullptr ? "" : base::text_of(preset->value);
    if (value != expected)
      differs.push_back({{"path", p.path}, {"value", value}, {"preset", expected}, {"doc", p.doc}});
  }
  return differs;
}

}  // namespace

Json machine_detail(const ResolvedConfig& config) {
  const bool has_preset = is_preset(config.machine.name);
  return {{"preset", has_preset ? Json(config.machine.name) : Json(nullptr)},
          {"differs", differences(config, has_preset)},
          {"parameters", values_json(config.machine_tree)},
          {"workload", values_json(config.workload_tree)}};
}

Json ledger_detail(const ResolvedConfig& config, const base::RunMeasurement& run) {
  const Assumptions assumptions = assumptions_of(config.machine_tree, config.machine, run);
  Json list = Json::array();
  for (const Param* p : assumptions.in_use)
    list.push_back(
        {{"path", p->path}, {"value", base::text_of(p->value)}, {"doc", p->doc}, {"note", p->source.note}});
  return {{"assumed", std::move(list)}, {"untouched", assumptions.untouched}};
}

}  // namespace tahoma::runtime
