// SPDX-License-Identifier: Apache-2.0
// A sweep as it is written, from wherever: every text with its place. Nothing of it has met a configuration.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/base/config_loader.h"
#include "runtime/sweep/spec/axis.h"
#include "runtime/sweep/spec/spec.h"

namespace tahoma::runtime {

struct SweepText {
  std::string place;                         // of the sweep as a whole
  std::vector<std::string> workloads;        // paths
  std::vector<base::Leaf> overrides;         // mode and seed first
  std::vector<std::vector<TrackText>> axes;  // tracks that move together
  std::vector<Written> derived, metrics;     // paths and names of SweepSpec's, in the same order
};

// The axes of `text`, and all of `spec` that can be wrong beside them: E-SWP-003 to E-SWP-025 (README.md).
// `spec` has everything but its axes.
void check_sweep(const SweepText& text, SweepSpec& spec);

}  // namespace tahoma::runtime
