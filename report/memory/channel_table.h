// SPDX-License-Identifier: Apache-2.0
// hbm.csv: one line per channel with DRAM behind it.
#pragma once

#include <string>

#include "model/base/columns.h"
#include "model/base/measurements.h"

namespace tahoma::runtime {

struct ChannelRecord : base::Measured<base::ChannelMeasurement> {
  const base::HbmMeasurement& stack;
};
const base::Columns<ChannelRecord>& channel_columns();

std::string hbm_csv(const base::RunMeasurement& run);

}  // namespace tahoma::runtime
