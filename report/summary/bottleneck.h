// SPDX-License-Identifier: Apache-2.0
// The bottleneck of a run or of a region: the resource without whose costs it would be shortest. It is
// measured by repeating the run (studies/whatif/explain.h); no rule about busy shares replaces that, because
// costs overlap.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tahoma::runtime {

struct Bottleneck {
  std::string
      resource;  // "tensor engine", ...: see studies/whatif/resource.h; "" if no resource alone matters
  double shorter_percent = 0;  // of the time, with this resource ideal; below 0.05 no resource is named

  std::string text() const;  // "HBM (31.2 % shorter if ideal)"
};

struct Bottlenecks {
  Bottleneck whole;
  std::vector<Bottleneck> resources;          // of the run: each that could be idealised
  std::map<std::string, Bottleneck> regions;  // by name

  const Bottleneck* of_region(const std::string& name) const;  // null: not measured
};

}  // namespace tahoma::runtime
