// SPDX-License-Identifier: Apache-2.0
// What a point has come to: every number of its summary.json, nested keys joined by '.', list items by their
// place or name, and the sweep's own expressions over these and its parameters. Switches are 0 or 1.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "runtime/sweep/execution/prepared.h"

namespace tahoma::runtime {

std::map<std::string, double> numbers_of_summary(const std::string& summary_json);

// Of a point that is done; a metric that is no finite number is left out. UserError E-SWP-021 at a metric of
// the sweep that names nothing there is.
std::map<std::string, double> metrics_of(const SweepSpec& spec, const PreparedPoint& point,
                                         const std::filesystem::path& folder);

// Names of values, for expressions: metrics first, then parameters of what varies.
Names names_in(const std::map<std::string, double>& metrics, const std::map<std::string, double>& parameters);

}  // namespace tahoma::runtime
