// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/resource.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "report/path/path_resource.h"

namespace tahoma::runtime {

namespace {

enum class Kind : std::uint8_t { kRates, kDelays, kBoth };

struct ResourceRow {
  PathResource resource;
  const char* doc;
  std::string_view group;    // all ideal parameters of this kind below this path that no longer group covers
  const char* besides = "";  // another override
  const char* part = "";     // of the resource, by this name,
  Kind kind = Kind::kBoth;   // with the parameters of one kind
};

using enum PathResource;
constexpr std::array kRows{
    ResourceRow{kTensor, "computation, issue, pipeline, weight loads and throttle",
                "machine.chip.core.tensor.", "machine.chip.core.tensor.throttle=false"},
    ResourceRow{kVector, "computation, issue and latency", "machine.chip.core.vector."},
    ResourceRow{kScalar, "computation, issue, latency and table loads", "machine.chip.core.scalar."},
    ResourceRow{kGpSimd, "computation, issue and latency", "machine.chip.core.gpsimd."},
    ResourceRow{kHandover, "semaphores, dispatch and branches of all sequencers",
                "machine.chip.core.sequencer."},
    ResourceRow{kDynamicAddresses, "copies whose address is in a register", "machine.chip.core.costs."},
    ResourceRow{kSynchronisation, "barriers and broadcasts between cores", "machine.chip.core.meeting."},
    ResourceRow{kSbufPorts, "strided, partial and shared accesses", "machine.chip.core.sbuf."},
    ResourceRow{kDma, "doorbells, descriptors, elements and semaphores of the DMA engines",
                "machine.chip.core.dma."},
    ResourceRow{kGenerator, "descriptors that the hardware generates while the kernel runs",
                "machine.chip.core.dma.hardware_dge"},
    ResourceRow{kHbm, "bandwidth and latency of the stacks, as flat memory", "machine.chip.hbm.",
                "machine.chip.hbm.model=flat"},
    ResourceRow{kNetwork, "paths between engines, stacks and dies", "machine.chip.noc."},
    ResourceRow{kNeuronLink, "rates, wires and routers", "machine.link."},
    ResourceRow{kNeuronLink, "bandwidth of its links", "machine.link.", "", "NeuronLink rates", Kind::kRates},
    ResourceRow{kNeuronLink, "its wires and routers", "machine.link.", "", "NeuronLink latency",
                Kind::kDelays},
};

// The part of the chip that more of a resource enlarges; other resources take no area of their own.
constexpr std::pair<PathResource, AreaPart> kAreas[] = {
    {kTensor, AreaPart::kTensor},   {kVector, AreaPart::kVector},   {kScalar, AreaPart::kScalar},
    {kGpSimd, AreaPart::kGpSimd},   {kDma, AreaPart::kDma},         {kHandover, AreaPart::kSequencer},
    {kNetwork, AreaPart::kNetwork}, {kNeuronLink, AreaPart::kLink}, {kHbm, AreaPart::kHbm}};

std::optional<AreaPart> area_of(const ResourceRow& row) {
  if (*row.part != '\0') return std::nullopt;
  for (const auto& [resource, area] : kAreas)
    if (resource == row.resource) return area;
  return std::nullopt;
}

bool is_of_longer_group(const base::Param& param, std::string_view group) {
  return std::any_of(kRows.begin(), kRows.end(), [&](const ResourceRow& other) {
    return other.group.size() > group.size() && param.path.starts_with(other.group);
  });
}

// Equal chips are simulated once only where packets take time between them, so the wires keep the shortest
// time that a simulation resolves.
std::string idealised(const base::Param& param) {
  return param.path + (param.path == "machine.link.wire" ? "=1 fs" : "=ideal");
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
    const bool part = *row.part != '\0';
    Resource resource{part ? row.part : name_of(row.resource),
                      row.doc,
                      part ? name_of(row.resource) : "",
                      {},
                      area_of(row)};
    if (*row.besides != '\0') resource.overrides.emplace_back(row.besides);
    for (const base::Param& param : machine.params()) {
      if (belongs(param, row)) resource.overrides.push_back(idealised(param));
      if (param.path == std::string(row.group) + "clock")
        resource.overrides.push_back(param.path + "=100 GHz");
    }
    if (!resource.overrides.empty()) all.push_back(std::move(resource));
  }
  return all;
}

}  // namespace tahoma::runtime
