// SPDX-License-Identifier: Apache-2.0
// What must hold of the numbers of every finished run, whatever ran. Invariants, checked where the books are
// closed (statistics.h) and again by whoever is handed a measurement.
//
// Time: every engine's named times add up to the elapsed time.
// The array: a cell streams one moving element a cycle, so a tensor engine cannot have used its cells for
// longer than it was active. Passes are counted (four of fp32 take four cycles) and so are only the cells
// that an instruction uses; therefore this one bound is the peak of every dtype and mode, alone or mixed:
// 78.6 TFLOPS of bf16, 157 of double row, 19.7 of fp32, and of sparse weights 78.6 of those kept, 315 of
// those stood for, on an array of 128 x 128 at 2.4 GHz.
// Memory: no HBM stack was busy for longer than the run, what its channels' pins did adds up to the elapsed
// time, and its bytes are those of the cores that used it.
#pragma once

#include "model/base/measurements.h"
#include "model/system/machine_params.h"

namespace tahoma::model {

void check_books(const base::RunMeasurement& run, const MachineParams& machine);

}  // namespace tahoma::model
