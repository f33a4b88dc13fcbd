// SPDX-License-Identifier: Apache-2.0
// Faults of one chip. The defaults describe a healthy chip.
//
// A slow chip has slow internal clocks: engines, sequencers, semaphores, on-chip memories and DMA engines of
// all its cores. Their constants are cycles of these clocks, whether a declaration gives them in cycles or,
// as in a profile, in nanoseconds. Every clock and every bandwidth of CoreParams is therefore divided by the
// factor, and every time multiplied by it. A program that stays inside a core takes exactly that much longer.
// HBM stacks, the on-chip network and the links have separate clocks and keep their rates.
//
// A dead chip runs no program and holds no tensor (E-RUN-055), and none of its ports works.
#pragma once

#include "model/engine/params/engine_params.h"

namespace tahoma::model {

struct ChipFaults {
  double slow = 1;  // its cores' clocks are divided by it
  bool dead = false;
  void declare(base::ParamTree& t);
};

// Returns the parameters of a core whose clocks are divided by `slow`.
CoreParams slowed(const CoreParams& core, double slow);

}  // namespace tahoma::model
