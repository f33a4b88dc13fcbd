// SPDX-License-Identifier: Apache-2.0
// Energies of a chip: what one event of each engine, memory and wire costs, and the power that flows all the
// time. No time of the model depends on any of them (report/energy computes joules from the statistics of a
// finished run).
//
// Per-operation energies are those published for 7 nm (N. Jouppi et al., "Ten Lessons From Three Generations
// Shaped Google's TPUv4i", ISCA 2021, table 2, which updates M. Horowitz, ISSCC 2014); the process node of
// Trainium2 is not published. Nothing is published about the energy of one part of the chip. `tensor.cell`
// closes the gap to the power of the whole chip: it is set so that a chip of a server, whose eight cores run
// dense bf16 matmuls of 512 columns back to back, each with its own weights, draws 500 W (tests/system/energy
// states the closed form).
//
// `voltage` is relative to the nominal one. Energy per event of the logic and of SRAM grows with its square,
// leakage with it. HBM, NeuronLink and the crossing between dies have supplies of their own and do not follow
// it. Not modelled: temperature, the data's toggle rate, transposes by the array (only their memory
// accesses), what a chip does at its power limit, voltage as a function of the clock.
//
// Ranges: an energy may be zero, and at most 1 mJ for one event; a power at most 10 kW.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

struct TensorEnergy {
  base::Energy fp8, bf16, fp16, fp32;  // of a multiply-accumulate, by the wider operand; fp16 is also tf32
  base::Energy cell;                   // of a cell and cycle: a multiply-accumulate takes one per pass
  void declare(base::ParamTree& t);
};

struct LaneEnergy {  // of one element of an instruction
  base::Energy vector, scalar, gpsimd;
  void declare(base::ParamTree& t);
};

struct SramEnergy {  // of a byte
  base::Energy sbuf_read, sbuf_write, psum_read, psum_write;
  void declare(base::ParamTree& t);
};

struct TransferEnergy {
  base::Energy byte, packet;            // of the DMA engines
  base::Energy network_bit, cross_bit;  // on-chip network; from die to die
  void declare(base::ParamTree& t);
};

struct HbmEnergy {
  base::Energy bit, activate, refresh;
  base::Power background;  // of a stack
  void declare(base::ParamTree& t);
};

struct NeuronLinkEnergy {
  base::Energy bit;       // of a bit on the wire, both ends together
  base::Energy idle_bit;  // of a bit that the link could carry, carried or not
  void declare(base::ParamTree& t);
};

struct StaticEnergy {
  base::Energy clock;        // of a cycle of an engine's clock
  double gated;              // share of it that an engine without an instruction saves
  base::Power core, uncore;  // leakage: of one core; of the rest of the chip
  void declare(base::ParamTree& t);
};

struct ChipEnergyParams {
  double voltage;
  base::Power limit;  // of a chip: its TDP
  base::Energy instruction;
  TensorEnergy tensor;
  LaneEnergy lane;
  SramEnergy sram;
  TransferEnergy transfer;
  HbmEnergy hbm;
  NeuronLinkEnergy link;
  StaticEnergy idle;
  void declare(base::ParamTree& t);
};

// Describes what draws power at the wall beside the chips.
struct RackParams {
  base::Power host;  // processors, memory and network cards of a server, for each of its chips
  double fans;       // power of the fans over that of what they cool
  double supply;     // efficiency from the wall to the board
  void declare(base::ParamTree& t);
};

}  // namespace tahoma::model
