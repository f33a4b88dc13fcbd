// SPDX-License-Identifier: Apache-2.0
#include "model/system/area/area_params.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::derived, base::documented;

namespace {

constexpr base::Range<double> kTransistors{0.0, 100'000.0}, kSquare{0.0, 10'000.0};

}  // namespace

void ProcessParams::declare(base::ParamTree& t) {
  t.add("transistors", transistors, 138.2, {0.01, 10'000.0},
        "million transistors on a square millimetre of logic",
        documented("Khan 2020: TSMC 5 nm 138.2, 7 nm 96.3, 16 nm 28.9. The process of Trainium2 is not "
                   "published; 5 nm is assumed"));
  t.add("sram_cell", sram_cell, 0.021, {0.0001, 10.0}, "square micrometres of an SRAM cell",
        documented("TSMC at IEDM: 5 nm 0.021 (2019), 7 nm 0.027 (2016), 16 nm 0.07 (2013)"));
  t.add("wafer", wafer, 16988.0, {1.0, 1'000'000.0}, "dollars of a wafer of 300 mm",
        documented("Khan 2020: 5 nm 16,988, 7 nm 9,346, 16 nm 3,984"));
  t.add("defects", defects, 0.1, {0.0, 10.0}, "defects on a square centimetre",
        documented("TSMC Technology Symposium 2020: 5 nm 0.10 to 0.11, and 7 nm 0.09"));
}

void LogicArea::declare(base::ParamTree& t) {
  t.add("cell", cell, 0.0253, kTransistors, "million transistors of a cell of the array",
        documented("Zhang 2024: a 16-bit floating-point unit, from Ariane's of 64 bits by the square of the "
                   "significand"));
  t.add("vector", vector, 0.268, kTransistors, "million transistors of a lane of the vector engine",
        derived("Zhang 2024: two fp32 units of 0.134, because tensor_scalar applies two operations"));
  t.add("scalar", scalar, 0.402, kTransistors, "million transistors of a lane of the scalar engine",
        derived("Zhang 2024: three fp32 units of 0.134, for a cubic polynomial"));
  t.add(
      "gpsimd", gpsimd, 0.196, kTransistors, "million transistors of GpSimd for each partition",
      derived("Zhang 2024: an fp32 unit of 0.134, and a sixteenth of the control of 0.996 of one processor"));
  t.add("sequencer", sequencer, 1.0, kTransistors, "million transistors of a sequencer",
        assumed("about the control of one sublane of Zhang 2024; no figure is published"));
  t.add("dma", dma, 5.0, kTransistors, "million transistors of a DMA engine",
        assumed("a controller and 32 KiB of buffers; no figure is published"));
  t.add("network", network, 44.3, kTransistors, "million transistors of a core's port of the on-chip network",
        documented("Zhang 2024: the mean of A100 and MI210"));
}

void PhyArea::declare(base::ParamTree& t) {
  t.add("hbm", hbm, 10.45, kSquare, "mm2 of the PHY of 1024 data pins of HBM",
        documented("Zhang 2024, from die shots: HBM2e"));
  t.add("hbm_controller", hbm_controller, 552.7, kTransistors,
        "million transistors of the controller of 1024 data pins of HBM", documented("Zhang 2024: HBM2e"));
  t.add("hbm_rate", hbm_rate, 725_GBps, {{1'000'000, false}, 100'000_GBps},
        "bandwidth of 1024 data pins; a faster stack has more pins",
        documented("trainium2.rst: four stacks of 1024 pins deliver 2.9 TB/s"));
  t.add("link", link, 0.965, kSquare, "mm2 of the PHY of a link of link_rate",
        documented("Zhang 2024, from die shots: a link of NVLink 4"));
  t.add("link_controller", link_controller, 86.6, kTransistors,
        "million transistors of the controller of a link of link_rate",
        documented("Zhang 2024: a link of NVLink 4"));
  t.add("link_rate", link_rate, 25_GBps, {{1'000'000, false}, 100'000_GBps},
        "one direction of the link of these areas; a faster one has more lanes",
        documented("NVLink 4: 18 links of 50 GB/s, both directions together, make 900 GB/s"));
  t.add("crossing", crossing, 1.5, kSquare,
        "mm2 of the PHY of the crossing between dies, on each die, for 1000 GB/s in each direction",
        derived("UCIe 1.0, advanced package: up to 1350 GB/s on a mm2, both directions together"));
  t.add("pcie", pcie, 0.64, kSquare, "mm2 of the PHY of a lane of PCIe",
        documented("Zhang 2024, from die shots: PCIe 5"));
  t.add("pcie_controller", pcie_controller, 5.37, kTransistors,
        "million transistors of the controller of a lane of PCIe", documented("Zhang 2024: PCIe 5"));
  t.add("pcie_lanes", pcie_lanes, std::uint64_t{16}, {0, 1024}, "lanes of PCIe of a chip",
        assumed("one connector of 16 lanes"));
}

void AreaParams::declare(base::ParamTree& t) {
  t.group("process", process);
  t.group("logic", logic);
  t.group("phy", phy);
  t.add("sram_efficiency", sram_efficiency, 0.561, {0.01, 1.0}, "share of an SRAM macro that its cells cover",
        documented("Zhang 2024, by CACTI: a macro of 1 MiB"));
  t.add("fill", fill, 0.34, {0.01, 1.0}, "share of a die that these parts cover",
        derived("the sum of the parts of TPU v4i over its 400 mm2 (Jouppi 2021)"));
  t.add("reticle", reticle, 858.0, {1.0, 100'000.0}, "mm2 of the largest die that can be exposed",
        documented("26 mm x 33 mm, the field of EUV and immersion scanners"));
}

}  // namespace tahoma::model
