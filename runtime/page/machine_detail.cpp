// SPDX-License-Identifier: Apache-2.0
// The machine on the page: its differences from its preset, and the assumptions that the run depends on.
#include <algorithm>
#include <array>
#include <set>

#include "runtime/config/config_files.h"
#include "runtime/page/detail.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;
using base::Param, base::ParamTree;

namespace {

// Parameters that matter only if their part of the machine was used.
enum class Part : std::uint8_t { kTensor, kVector, kScalar, kGpSimd, kDma, kDram, kLink, kCollective };
inline constexpr std::size_t kParts = 8;
struct Belongs {
  const char* path;
  Part part;
};
// The longest matching prefix decides; a path without a match is always in use.
constexpr std::array kBelongs{Belongs{"machine.chip.core.tensor.", Part::kTensor},
                              Belongs{"machine.chip.core.vector.", Part::kVector},
                              Belongs{"machine.chip.core.scalar.", Part::kScalar},
                              Belongs{"machine.chip.core.gpsimd.", Part::kGpSimd},
                              Belongs{"machine.chip.core.dma.", Part::kDma},
                              Belongs{"machine.chip.core.collective.", Part::kCollective},
                              Belongs{"machine.chip.hbm.dram.", Part::kDram},
                              Belongs{"machine.link.", Part::kLink}};

using PartsUsed = std::array<bool, kParts>;

PartsUsed parts_used(const model::MachineParams& machine, const base::RunMeasurement& run) {
  using base::EngineKind;
  const auto ran = [&](EngineKind kind) {
    return std::any_of(run.engines.begin(), run.engines.end(),
                       [&](const auto& e) { return e.kind == kind && e.instructions > 0; });
  };
  PartsUsed used{};
  const auto set = [&](Part part, bool is) { used[static_cast<std::size_t>(part)] = is; };
  set(Part::kTensor, ran(EngineKind::kTensor));
  set(Part::kVector, ran(EngineKind::kVector));
  set(Part::kScalar, ran(EngineKind::kScalar));
  set(Part::kGpSimd, ran(EngineKind::kGpSimd));
  set(Part::kCollective, ran(EngineKind::kCollective));
  set(Part::kDma, run.dma_packets > 0);
  set(Part::kDram, machine.chip.hbm.model != model::HbmModel::kFlat && run.dma_packets > 0);
  set(Part::kLink, run.link_packet_hops > 0);
  return used;
}

bool in_use(const std::string& path, const PartsUsed& used) {
  const auto belongs = std::find_if(kBelongs.begin(), kBelongs.end(),
                                    [&](const Belongs& b) { return path.starts_with(b.path); });
  return belongs == kBelongs.end() || used[static_cast<std::size_t>(belongs->part)];
}

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
  const PartsUsed used = parts_used(config.machine, run);
  Json list = Json::array();
  std::uint64_t untouched = 0;
  for (const Param& p : config.machine_tree.params()) {
    // A value that the user has set is a choice, not an assumption.
    const std::string value = base::text_of(p.value);
    if (p.source.kind != base::Provenance::kAssumed || value != p.default_text) continue;
    if (in_use(p.path, used))
      list.push_back({{"path", p.path}, {"value", value}, {"doc", p.doc}, {"note", p.source.note}});
    else
      ++untouched;
  }
  return {{"assumed", std::move(list)}, {"untouched", untouched}};
}

}  // namespace tahoma::runtime
