// SPDX-License-Identifier: Apache-2.0
// From a finished run's measurements to the statistics tree, by their declarations. Needs no machine.
#pragma once

#include "model/base/measurements.h"
#include "model/base/stats.h"

namespace tahoma::model {

// What took no part in the run is left out: engines without instructions, stacks that moved nothing.
void list_statistics(const base::RunMeasurement& run, base::StatSink& sink);
// Everything that is declared, of a run that has an instance of everything.
void list_declared(const base::RunMeasurement& run, base::StatSink& sink);

}  // namespace tahoma::model
