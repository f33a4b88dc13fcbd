// SPDX-License-Identifier: Apache-2.0
// What the parts of a chip take of its dies: the process, transistors of logic, SRAM cells and PHYs. No time
// of the model depends on any of them (report/area computes square millimetres from the machine's
// parameters).
//
// Nothing is published about the floor plan of Trainium2, nor the sizes of its dies or its process. The area
// of a part is its transistors over the density of the process, its bits times the SRAM cell over the
// efficiency of a macro, or that of a PHY, which does not shrink with logic. `fill` is the share of a die
// that these parts cover. It is derived from one chip, TPU v4i, and checked on two others, TPU v4 and v3
// (tests/system/area).
//
// Not modelled: a floor plan, the length of wires, clocks and voltages that a larger part would need,
// redundancy, power delivery.
//
// Sources, by the names that the notes use. "Zhang 2024": H. Zhang et al., "LLMCompass", ISCA 2024, with its
// published cost model. "Khan 2020": S. Khan and A. Mann, "AI Chips: What They Are and Why They Matter",
// CSET. "Jouppi 2021" and "Jouppi 2023": the papers on TPU v4i and TPU v4, ISCA.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

struct ProcessParams {
  double transistors;  // million on a square millimetre of logic
  double sram_cell;    // square micrometres of one bit
  double wafer;        // dollars
  double defects;      // on a square centimetre
  void declare(base::ParamTree& t);
};

struct LogicArea {                 // million transistors
  double cell;                     // of the array
  double vector, scalar, gpsimd;   // a lane of the engine
  double sequencer, dma, network;  // a sequencer; a DMA engine; a core's port of the on-chip network
  void declare(base::ParamTree& t);
};

struct PhyArea {
  double hbm, hbm_controller;    // mm2, and million transistors, of 1024 data pins
  base::Bandwidth hbm_rate;      // of 1024 data pins
  double link, link_controller;  // mm2, and million transistors, of a link of `link_rate`
  base::Bandwidth link_rate;     // one direction
  double crossing;               // mm2 for 1000 GB/s in each direction, on one of the two dies
  double pcie, pcie_controller;  // mm2, and million transistors, of a lane
  std::uint64_t pcie_lanes;
  void declare(base::ParamTree& t);
};

struct AreaParams {
  ProcessParams process;
  LogicArea logic;
  PhyArea phy;
  double sram_efficiency;  // share of an SRAM macro that its cells cover
  double fill;             // share of a die that the parts cover
  double reticle;          // mm2 of the largest die
  void declare(base::ParamTree& t);
};

}  // namespace tahoma::model
