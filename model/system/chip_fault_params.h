// SPDX-License-Identifier: Apache-2.0
// What can be wrong with one chip. The defaults are a sound one.
//
// A slow chip is one whose own clocks are slow: engines, sequencers, semaphores, on-chip memories and DMA
// engines of all its cores. Their constants are cycles of these clocks, whether a declaration gives them in
// cycles or, as a profile shows them, in nanoseconds: so every clock and every bandwidth of CoreParams is
// divided by the factor, and every time multiplied by it. A program that stays inside a core takes exactly
// that much longer. HBM stacks, the on-chip network and the links have clocks of their own and keep their
// pace.
//
// A dead chip runs no program and holds no tensor (E-RUN-055), and none of its ports works.
#pragma once

#include "model/engine/pipeline/engine_params.h"

namespace tahoma::model {

struct ChipFaults {
  double slow = 1;  // its cores' clocks are divided by it
  bool dead = false;
  void declare(base::ParamTree& t);
};

// The parameters of a core whose clocks are divided by `slow`.
CoreParams slowed(const CoreParams& core, double slow);

}  // namespace tahoma::model
