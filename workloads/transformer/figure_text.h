// SPDX-License-Identifier: Apache-2.0
// Formats times and bytes as figures of a workload, in readable units.
#pragma once

#include <string>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

runtime::WorkloadFigure time_figure(const std::string& key, double seconds, const std::string& meaning);
runtime::WorkloadFigure bytes_figure(const std::string& key, double count, const std::string& meaning);
std::string bytes_text(double count);

}  // namespace tahoma::workloads
