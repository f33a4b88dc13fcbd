// SPDX-License-Identifier: Apache-2.0
#include "runtime/whatif/resource.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

namespace tahoma::runtime {

namespace {

enum class Kind : std::uint8_t { kRates, kDelays, kBoth };

struct ResourceRow {
  const char* name;
  const char* doc;
  std::string_view group;  // all ideal parameters of this kind below this path that no longer group covers
  Kind kind;
  const char* besides;  // another override, or ""
};

constexpr std::array<ResourceRow, 14> kRows{{
    {"tensor engine", "computation, issue, pipeline, weight loads and throttle", "machine.chip.core.tensor.",
     Kind::kBoth, "machine.chip.core.tensor.throttle=false"},
    {"vector engine", "computation, issue and latency", "machine.chip.core.vector.", Kind::kBoth, ""},
    {"scalar engine", "computation, issue, latency and table loads", "machine.chip.core.scalar.", Kind::kBoth,
     ""},
    {"gpsimd engine", "computation, issue and latency", "machine.chip.core.gpsimd.", Kind::kBoth, ""},
    {"hand-over", "semaphores, dispatch and branches of all sequencers", "machine.chip.core.sequencer.",
     Kind::kBoth, ""},
    {"dynamic addresses", "copies whose address is in a register", "machine.chip.core.costs.", Kind::kBoth,
     ""},
    {"synchronisation", "barriers and broadcasts between cores", "machine.chip.core.meeting.", Kind::kBoth,
     ""},
    {"SBUF ports", "strided, partial and shared accesses", "machine.chip.core.sbuf.", Kind::kBoth, ""},
    {"DMA", "doorbells, descriptors, elements and semaphores of the DMA engines", "machine.chip.core.dma.",
     Kind::kBoth, ""},
    {"descriptor generator", "descriptors that the hardware generates while the kernel runs",
     "machine.chip.core.dma.hardware_dge", Kind::kBoth, ""},
    {"HBM", "bandwidth and latency of the stacks, as flat memory", "machine.chip.hbm.", Kind::kBoth,
     "machine.chip.hbm.model=flat"},
    {"on-chip network", "paths between engines, stacks and dies", "machine.chip.noc.", Kind::kBoth, ""},
    {"link rates", "bandwidth of NeuronLink", "machine.link.", Kind::kRates, ""},
    {"link latency", "wires and routers of NeuronLink", "machine.link.", Kind::kDelays, ""},
}};

bool is_of_longer_group(const base::Param& param, std::string_view group) {
  return std::any_of(kRows.begin(), kRows.end(), [&](const ResourceRow& other) {
    return other.group.size() > group.size() && param.path.starts_with(other.group);
  });
}

bool is_rate(const base::Param& param) { return std::holds_alternative<base::Bandwidth*>(param.value); }

bool belongs(const base::Param& param, const ResourceRow& row) {
  if (!param.may_be_ideal || !param.path.starts_with(row.group) || is_of_longer_group(param, row.group))
    return false;
  // The command rules of a DRAM cannot be idealised; the flat memory model replaces them.
  if (param.path.starts_with("machine.chip.hbm.dram.")) return false;
  return row.kind == Kind::kBoth || is_rate(param) == (row.kind == Kind::kRates);
}

}  // namespace

std::vector<Resource> resources_of(const base::ParamTree& machine) {
  std::vector<Resource> all;
  for (const ResourceRow& row : kRows) {
    Resource resource{row.name, row.doc, {}};
    if (*row.besides != '\0') resource.overrides.emplace_back(row.besides);
    for (const base::Param& param : machine.params()) {
      if (belongs(param, row)) resource.overrides.push_back(param.path + "=ideal");
      if (param.path == std::string(row.group) + "clock")
        resource.overrides.push_back(param.path + "=100 GHz");
    }
    if (!resource.overrides.empty()) all.push_back(std::move(resource));
  }
  return all;
}

}  // namespace tahoma::runtime
