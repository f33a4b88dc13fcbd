// SPDX-License-Identifier: Apache-2.0
// Invariants of the numbers of every finished run, for any workload. They are checked when the measurements
// are collected (statistics.h) and again by each consumer of a measurement.
//
// Time: every engine's times by stall reason add up to the elapsed time. Array: a cell streams one moving
// element per cycle, so a tensor engine cannot have used its cells for longer than it was active. Every pass
// counts (four passes of fp32 take four cycles), and only the cells that an instruction uses count. Therefore
// this single bound is the peak of every dtype and mode, alone or mixed: 78.6 TFLOPS of bf16, 157 of double
// row, 19.7 of fp32, and for sparse weights 78.6 counting kept weights and 315 counting the dense equivalent,
// on an array of 128 x 128 at 2.4 GHz. Memory: no HBM stack was busy for longer than the run, the pin times
// of its channels add up to the elapsed time, and its bytes equal those of the cores that used it.
// Links: no engine waited for NeuronLink in a run that sent nothing over it.
#pragma once

#include "model/base/measurements.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::model {

void check_books(const base::RunMeasurement& run, const MachineParams& machine);

}  // namespace tahoma::model
