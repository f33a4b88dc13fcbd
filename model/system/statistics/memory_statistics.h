// SPDX-License-Identifier: Apache-2.0
// The statistics of one HBM stack, of the cores that used it and of its channels.
#pragma once

#include "model/base/measurements.h"
#include "model/base/stats.h"

namespace tahoma::model {

void list_hbm(const base::HbmMeasurement& stack, base::Duration elapsed, base::StatSink& sink);

}  // namespace tahoma::model
