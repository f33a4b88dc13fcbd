// SPDX-License-Identifier: Apache-2.0
// The text of a sweep from any source, each with its place, before it is checked against a configuration.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/base/loader/config_loader.h"
#include "studies/sweep/spec/axis.h"
#include "studies/sweep/spec/spec.h"

namespace tahoma::runtime {

struct SweepText {
  std::string place;                         // of the sweep as a whole
  std::vector<std::string> workloads;        // paths
  std::string folder;                        // of the file; relative paths of axes start here
  std::vector<base::Leaf> overrides;         // mode and seed first
  std::vector<std::vector<TrackText>> axes;  // tracks that vary together
  std::vector<Written> derived, metrics;     // paths and names of SweepSpec's, in the same order
};

// Reads the axes of `text` and checks everything else in `spec`: E-SWP-003 to E-SWP-025 (README.md). `spec`
// is complete except for its axes.
void check_sweep(const SweepText& text, SweepSpec& spec);

}  // namespace tahoma::runtime
