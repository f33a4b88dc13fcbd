// SPDX-License-Identifier: Apache-2.0
// Converts a finished run's measurements to the statistics tree by their declarations. It does not need a
// machine.
#pragma once

#include "model/base/measurements.h"
#include "model/base/stats.h"

namespace tahoma::model {

// Omits components that took no part in the run: engines without instructions, stacks that moved no data.
void list_statistics(const base::RunMeasurement& run, base::StatSink& sink);
// Everything that is declared, of a run that has an instance of everything.
void list_declared(const base::RunMeasurement& run, base::StatSink& sink);

}  // namespace tahoma::model
