// SPDX-License-Identifier: Apache-2.0
#include "report/area/chip_area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "model/base/shares.h"

namespace tahoma::runtime {

namespace {

constexpr const char* kAreaRoot = "machine.chip.area.";
constexpr double kWaferMm = 300, kClusters = 3;  // the law of the header
constexpr double kSquareMicrometre = 1e-6;       // in mm2
constexpr double kPerMm2 = 1e-2;                 // of what is counted on a square centimetre
constexpr double kTerabyte = 1e12, kGibibyte = 1024.0 * 1024 * 1024;
constexpr double kBits = 8;

struct PartText {
  const char *name, *doc;
};
constexpr std::array<PartText, kAreaParts> kTexts{
    {{"tensor", "cells of the arrays"},
     {"vector", "lanes of the vector engines"},
     {"scalar", "lanes of the scalar engines"},
     {"gpsimd", "processors of the GpSimd engines"},
     {"sequencer", "sequencers of the cores"},
     {"sbuf", "SBUF"},
     {"psum", "PSUM"},
     {"dma", "DMA engines"},
     {"network", "on-chip network, and the crossing between dies"},
     {"hbm", "PHYs and controllers of the HBM stacks"},
     {"link", "PHYs and controllers of NeuronLink"},
     {"pcie", "PHY and controller of PCIe"},
     {"rest", "wires, clocks, power grid, spare and empty area"}}};

using M = model::MachineParams;

double count(std::uint64_t n) { return static_cast<double>(n); }
double logic(const M& m, double million) { return million / m.chip.area.process.transistors; }
double sram(const M& m, double bytes) {
  const model::AreaParams& a = m.chip.area;
  return bytes * kBits * a.process.sram_cell * kSquareMicrometre / a.sram_efficiency;
}
double over(base::Bandwidth rate, base::Bandwidth unit) {
  return rate.ideal || unit.ideal ? 0 : count(rate.bytes_per_second) / count(unit.bytes_per_second);
}
double lanes(const M& m) { return count(m.chip.cores * m.chip.core.sbuf.partitions); }
double stacks(const M& m) {
  return count(m.chip.hbm.stacks) * over(m.chip.hbm.bandwidth, m.chip.area.phy.hbm_rate);
}

// The rates of the links of chip 0.
std::vector<base::Bandwidth> link_rates(const M& m) {
  const std::unique_ptr<const base::Topology> fabric = model::topology_of(m);
  std::vector<base::Bandwidth> rates;
  for (base::PortIndex port = 0; port < fabric->ports(0); ++port) {
    const base::LinkRate rate = fabric->port(0, port).rate;
    if (rate != base::LinkRate::kEfa && fabric->neighbour(0, port)) rates.push_back(m.link.rate_of(rate));
  }
  return rates;
}

// In units of `link_rate`.
double links(const M& m) {
  double units = 0;
  for (const base::Bandwidth rate : link_rates(m)) units += over(rate, m.chip.area.phy.link_rate);
  return units;
}

double crossing(const M& m) {
  const base::Bandwidth rate = m.chip.noc.cross_die_bandwidth;
  return rate.ideal || m.chip.dies < 2 ? 0 : count(m.chip.dies) * count(rate.bytes_per_second) / kTerabyte;
}

struct AreaTerm {
  AreaPart part;
  const char* parameter;  // below machine.chip.area
  double (*mm2)(const M&);
};

using enum AreaPart;
constexpr std::array kTerms{
    AreaTerm{kTensor, "logic.cell",
             [](const M& m) {
               return count(m.chip.cores * m.chip.core.tensor.rows * m.chip.core.tensor.columns) *
                      logic(m, m.chip.area.logic.cell);
             }},
    AreaTerm{kVector, "logic.vector",
             [](const M& m) { return lanes(m) * logic(m, m.chip.area.logic.vector); }},
    AreaTerm{kScalar, "logic.scalar",
             [](const M& m) { return lanes(m) * logic(m, m.chip.area.logic.scalar); }},
    AreaTerm{kGpSimd, "logic.gpsimd",
             [](const M& m) { return lanes(m) * logic(m, m.chip.area.logic.gpsimd); }},
    AreaTerm{kSequencer, "logic.sequencer",
             [](const M& m) {
               return count(m.chip.cores * base::kEngineKinds) * logic(m, m.chip.area.logic.sequencer);
             }},
    AreaTerm{kSbuf, "process.sram_cell",
             [](const M& m) { return sram(m, lanes(m) * count(m.chip.core.sbuf.per_partition.count)); }},
    AreaTerm{kPsum, "process.sram_cell",
             [](const M& m) { return sram(m, lanes(m) * count(m.chip.core.psum.per_partition.count)); }},
    AreaTerm{
        kDma, "logic.dma",
        [](const M& m) { return count(m.chip.cores * isa::kDmaEngines) * logic(m, m.chip.area.logic.dma); }},
    AreaTerm{kNetwork, "logic.network",
             [](const M& m) { return count(m.chip.cores) * logic(m, m.chip.area.logic.network); }},
    AreaTerm{kNetwork, "phy.crossing", [](const M& m) { return crossing(m) * m.chip.area.phy.crossing; }},
    AreaTerm{kHbm, "phy.hbm", [](const M& m) { return stacks(m) * m.chip.area.phy.hbm; }},
    AreaTerm{kHbm, "phy.hbm_controller",
             [](const M& m) { return stacks(m) * logic(m, m.chip.area.phy.hbm_controller); }},
    AreaTerm{kLink, "phy.link", [](const M& m) { return links(m) * m.chip.area.phy.link; }},
    AreaTerm{kLink, "phy.link_controller",
             [](const M& m) { return links(m) * logic(m, m.chip.area.phy.link_controller); }},
    AreaTerm{kPcie, "phy.pcie",
             [](const M& m) { return count(m.chip.area.phy.pcie_lanes) * m.chip.area.phy.pcie; }},
    AreaTerm{kPcie, "phy.pcie_controller",
             [](const M& m) {
               return count(m.chip.area.phy.pcie_lanes) * logic(m, m.chip.area.phy.pcie_controller);
             }},
};

void add(ChipArea& area, AreaPart part, base::Provenance kind, double mm2) {
  PartArea& of = area.parts[static_cast<std::size_t>(part)];
  of.mm2 += mm2;
  of.by_provenance[static_cast<std::size_t>(kind)] += mm2;
  area.chip_mm2 += mm2;
}

bool has_ideal_rate(const M& m) {
  const std::vector<base::Bandwidth> rates = link_rates(m);
  return m.chip.hbm.bandwidth.ideal || (m.chip.dies > 1 && m.chip.noc.cross_die_bandwidth.ideal) ||
         std::any_of(rates.begin(), rates.end(), [](base::Bandwidth rate) { return rate.ideal; });
}

double dies_of_wafer(double mm2) {
  const double radius = kWaferMm / 2;
  return std::numbers::pi * (radius * radius / mm2 - kWaferMm / std::sqrt(2 * mm2));
}

void add_cost(ChipArea& area, const M& m, const std::optional<PriceList>& prices) {
  const model::ProcessParams& process = m.chip.area.process;
  const double dies = dies_of_wafer(area.die_mm2);
  if (!(dies >= 1)) return;
  const double yield = std::pow(1 + area.die_mm2 * process.defects * kPerMm2 / kClusters, -kClusters);
  area.dies_per_wafer = dies;
  area.yield_percent = yield * 100;
  area.dies_dollars = count(m.chip.dies) * process.wafer / (dies * yield);
  if (!prices || prices->manufacturing.source.empty()) return;
  const ManufacturingPrices& p = prices->manufacturing;
  area.hbm_dollars =
      count(m.chip.hbm.stacks) * count(m.chip.hbm.capacity.count) / kGibibyte * p.hbm_dollars_per_gib;
  area.package_dollars = p.package_dollars;
  area.chip_dollars = *area.dies_dollars + *area.hbm_dollars + *area.package_dollars;
}

}  // namespace

const char* name_of(AreaPart part) { return kTexts[static_cast<std::size_t>(part)].name; }
const char* doc_of(AreaPart part) { return kTexts[static_cast<std::size_t>(part)].doc; }

double ChipArea::percent_of(base::Provenance kind) const {
  return base::percent_of(std::accumulate(parts.begin(), parts.end(), 0.0,
                                          [&](double sum, const PartArea& part) {
                                            return sum + part.by_provenance[static_cast<std::size_t>(kind)];
                                          }),
                          chip_mm2);
}

ChipArea chip_area(const M& params, const base::ParamTree& machine, const std::optional<PriceList>& prices) {
  const model::AreaParams& a = params.chip.area;
  const ProvenanceOf provenance = provenance_in(machine, kAreaRoot);
  ChipArea area;
  for (const AreaTerm& term : kTerms) add(area, term.part, provenance(term.parameter), term.mm2(params));
  add(area, kRest, provenance("fill"), area.chip_mm2 * (1 / a.fill - 1));
  area.die_mm2 = area.chip_mm2 / count(params.chip.dies);
  area.reticle_percent = base::percent_of(area.die_mm2, a.reticle);
  area.ideal = has_ideal_rate(params);
  add_cost(area, params, prices);
  return area;
}

}  // namespace tahoma::runtime
