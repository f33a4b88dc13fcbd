// SPDX-License-Identifier: Apache-2.0
// The law of area: parts scale with what they hold, the die of a published chip has about its published size,
// and the cost follows yield.
#include <catch2/catch.hpp>
#include <numeric>

#include "report/area/chip_area.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using runtime::AreaPart, runtime::ChipArea;

namespace {

struct Machine {
  Machine() { params.declare(tree); }
  model::MachineParams params;
  base::ParamTree tree{"machine"};
  ChipArea area(const std::optional<runtime::PriceList>& prices = std::nullopt) const {
    return runtime::chip_area(params, tree, prices);
  }
};

constexpr std::uint64_t kMebibyte = 1024 * 1024;

// A TPU in the terms of this machine: its MXUs are arrays of cores of their own, and its on-chip memory is
// divided among them. Two ALUs in each of eight sublanes of a lane are eight of our vector lanes' two units.
struct Tpu {
  double transistors, cell;               // of the process
  std::uint64_t arrays, cores, sram_mib;  // the whole chip
  std::uint64_t stacks;
  base::Bandwidth stack, link;
  std::uint64_t links;  // of the chip
  double published_mm2;
};

ChipArea area_of(const Tpu& tpu) {
  Machine m;
  model::ChipParams& chip = m.params.chip;
  model::AreaParams& area = chip.area;
  area.process.transistors = tpu.transistors;
  area.process.sram_cell = tpu.cell;
  chip.cores = tpu.arrays;
  chip.dies = 1;
  chip.core.sbuf.per_partition = {tpu.sram_mib * kMebibyte / tpu.arrays / chip.core.sbuf.partitions};
  chip.core.psum.per_partition = {0};
  area.logic.vector *= 8.0 * static_cast<double>(tpu.cores) / static_cast<double>(tpu.arrays);
  area.logic.scalar = area.logic.gpsimd = area.logic.dma = 0;
  area.logic.network *= static_cast<double>(tpu.cores) / static_cast<double>(tpu.arrays);
  chip.hbm.stacks = tpu.stacks;
  chip.hbm.bandwidth = area.phy.hbm_rate = tpu.stack;  // 1024 pins a stack
  m.params.torus =
      tpu.links == 6 ? model::TorusParams{4, 4, 4} : model::TorusParams{4, tpu.links == 4 ? 4U : 1U, 1};
  m.params.link.x = m.params.link.y = m.params.link.z = tpu.link;
  return m.area();
}

// Jouppi 2021, table 1, and Jouppi 2023, table 4. Sizes are published as upper bounds. Density and cells: the
// notes of machine.chip.area.process.
const Tpu kV4i{96.3, 0.027, 4, 1, 144, 2, 307_GBps, 50_GBps, 2, 400};
const Tpu kV4{96.3, 0.027, 8, 2, 160, 4, 300_GBps, 50_GBps, 6, 600};
const Tpu kV3{28.9, 0.07, 4, 2, 32, 4, 225_GBps, 82_GBps, 4, 700};

double sum_of(const ChipArea& area) {
  return std::accumulate(area.parts.begin(), area.parts.end(), 0.0,
                         [](double sum, const runtime::PartArea& part) { return sum + part.mm2; });
}

}  // namespace

TEST_CASE("area: parts add up, and each follows what it holds", "[area]") {
  const Machine before;
  const ChipArea base = before.area();
  CHECK(sum_of(base) == Approx(base.chip_mm2));
  CHECK(base.die_mm2 == Approx(base.chip_mm2 / 2));
  // 16,384 cells of 25,300 transistors on each of eight cores, 138.2 million on a square millimetre.
  CHECK(base[AreaPart::kTensor].mm2 == Approx(8 * 16384 * 0.0253 / 138.2));
  // 28 MiB on each core, in cells of 0.021 square micrometres that cover 56.1 % of their macros.
  CHECK(base[AreaPart::kSbuf].mm2 == Approx(8 * 28.0 * kMebibyte * 8 * 0.021e-6 / 0.561));

  Machine wide;
  wide.params.chip.core.tensor.columns *= 2;
  CHECK(wide.area()[AreaPart::kTensor].mm2 == Approx(2 * base[AreaPart::kTensor].mm2));
  CHECK(wide.area()[AreaPart::kSbuf].mm2 == Approx(base[AreaPart::kSbuf].mm2));
  Machine fast;
  fast.params.chip.hbm.bandwidth.bytes_per_second *= 2;
  CHECK(fast.area()[AreaPart::kHbm].mm2 == Approx(2 * base[AreaPart::kHbm].mm2));
  Machine cores;
  cores.params.chip.cores = 12;
  for (const AreaPart part :
       {AreaPart::kTensor, AreaPart::kVector, AreaPart::kSbuf, AreaPart::kPsum, AreaPart::kDma})
    CHECK(cores.area()[part].mm2 == Approx(1.5 * base[part].mm2));
  Machine alone;
  alone.params.torus = {1, 1, 1};
  CHECK(alone.area()[AreaPart::kLink].mm2 == 0);
  Machine ideal;
  ideal.params.chip.hbm.bandwidth.ideal = true;
  CHECK(ideal.area().ideal);
  CHECK(ideal.area()[AreaPart::kHbm].mm2 == 0);
  // Of the links, the rates that the fabric has count.
  for (const char* topology : {"torus", "switched"}) {
    Machine m;
    m.tree.set("machine.link.topology", topology, "test");
    m.params.link.switched.ideal = true;
    CHECK(m.area().ideal == (std::string(topology) == "switched"));
  }
}

TEST_CASE("area: dies of published chips have about their published size", "[area]") {
  CHECK(area_of(kV4i).die_mm2 == Approx(kV4i.published_mm2).epsilon(0.05));  // `fill` is derived from it
  CHECK(area_of(kV4).die_mm2 == Approx(kV4.published_mm2).epsilon(0.25));
  CHECK(area_of(kV3).die_mm2 == Approx(kV3.published_mm2).epsilon(0.35));
  // The check can fail: half of the memory is missed.
  Tpu without = kV4i;
  without.sram_mib /= 2;
  CHECK(area_of(without).die_mm2 != Approx(kV4i.published_mm2).epsilon(0.05));
}

TEST_CASE("area: the cost of a chip is that of good dies, stacks and package", "[area]") {
  runtime::PriceList prices;
  Machine m;
  CHECK_FALSE(m.area(prices).chip_dollars);  // without a source of prices
  prices.manufacturing = {10, 500, "test"};
  const ChipArea area = m.area(prices);
  CHECK(*area.hbm_dollars == Approx(96 * 10));
  CHECK(*area.chip_dollars == Approx(*area.dies_dollars + 96 * 10 + 500));
  // Without defects all dies are good.
  m.params.chip.area.process.defects = 0;
  CHECK(*m.area().yield_percent == Approx(100));
  CHECK(*m.area().dies_dollars == Approx(2 * m.params.chip.area.process.wafer / *m.area().dies_per_wafer));
  // One die of the same parts is dearer than two.
  Machine one, two;
  one.params.chip.dies = 1;
  one.params.chip.noc.cross_die_bandwidth = two.params.chip.noc.cross_die_bandwidth = {1};
  CHECK(*one.area().dies_dollars > *two.area().dies_dollars);
  // A die that no wafer holds has no price.
  Machine huge;
  huge.params.chip.core.tensor.rows = huge.params.chip.core.tensor.columns = 512;
  huge.params.chip.area.logic.cell = 10;
  CHECK_FALSE(huge.area().dies_dollars);
  CHECK(huge.area().reticle_percent > 100);
}

TEST_CASE("area: a parameter of the user is a choice in the provenance", "[area]") {
  Machine m;
  CHECK(m.area().percent_of(base::Provenance::kChosen) == 0);
  m.tree.set("machine.chip.area.fill", "0.5", "test");
  CHECK(m.area().percent_of(base::Provenance::kChosen) == Approx(50));
}
