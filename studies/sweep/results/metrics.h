// SPDX-License-Identifier: Apache-2.0
// The metrics of a point: every number of its summary.json (report/summary/summary_numbers.h), and the
// sweep's own expressions over these and its parameters.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "studies/sweep/execution/prepared.h"
#include "studies/sweep/results/store.h"

namespace tahoma::runtime {

// Returns the metrics of a finished point; those that are not finite are omitted. UserError E-SWP-021 if a
// metric of the sweep uses an unknown name.
std::map<std::string, double> metrics_of(const SweepSpec& spec, const PreparedSweepPoint& point,
                                         const std::filesystem::path& folder);

// Texts of summary.json that are kept for every point.
inline constexpr const char *kBusiestText = "busiest.resource", *kProgramsText = "programs_hash";
Texts texts_of_summary(const std::string& summary_json);

// Reads a finished point's measures from its folder.
PointMeasures measures_of(const SweepSpec& spec, const PreparedSweepPoint& point,
                          const std::filesystem::path& folder);

// Values by name for expressions: metrics first, then the varying parameters.
Names names_in(const std::map<std::string, double>& metrics, const std::map<std::string, double>& parameters);

}  // namespace tahoma::runtime
