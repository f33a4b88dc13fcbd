// SPDX-License-Identifier: Apache-2.0
// The points of a sweep, in order: workload by workload, and for each the grid with the last axis varying
// fastest, or the sample as drawn. Filters see axes and derived values; dropped points have no number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "studies/sweep/spec/spec.h"

namespace tahoma::runtime {

struct SweepPoint {
  struct Parameter {
    std::string path, text;
    std::optional<double> value;  // in base units; unset for texts and for `ideal`
  };
  std::uint64_t number = 0;  // from 0, without gaps
  std::string workload;      // one of SweepSpec::workloads
  // "path=value" of the varying parameters, to be applied after SweepSpec::overrides:
  // axes, then derived ones.
  std::vector<std::string> overrides;
  std::vector<Parameter> parameters;  // the same, in the same order
};

// UserError: E-SWP-014 more points than limits.points, E-SWP-030 filters that drop all points, E-SWP-031 a
// derived value that its parameter cannot have, E-SWP-022 an expression without a numeric value, E-SWP-032 a
// sample of more points than there are different ones.
std::vector<SweepPoint> points_of(const SweepSpec& spec);

}  // namespace tahoma::runtime
