// SPDX-License-Identifier: Apache-2.0
// The points of a sweep, in order: workload by workload, and of each the grid with the last axis fastest, or
// the sample as it is drawn. Filters see axes and derived values; what they drop has no number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/sweep/spec/spec.h"

namespace tahoma::runtime {

struct SweepPoint {
  struct Parameter {
    std::string path, text;
    std::optional<double> value;  // in base units; nothing for texts and for `ideal`
  };
  std::uint64_t number = 0;  // from 0, without gaps
  std::string workload;      // one of SweepSpec::workloads
  // "path=value" of what varies, to be applied after SweepSpec::overrides: axes, then derived ones.
  std::vector<std::string> overrides;
  std::vector<Parameter> parameters;  // the same, in the same order
};

// UserError: E-SWP-014 more points than limits.points, E-SWP-030 filters that leave none, E-SWP-031 a derived
// value that its parameter cannot have, E-SWP-022 an expression without a number, E-SWP-032 more samples than
// there are different points.
std::vector<SweepPoint> points_of(const SweepSpec& spec);

}  // namespace tahoma::runtime
