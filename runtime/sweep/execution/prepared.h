// SPDX-License-Identifier: Apache-2.0
// Points as something to run: each with a configuration that stands alone and an address. The address is a
// hash of the resolved configuration, of the files that it names (programs, input tensors) and of the binary:
// what would compute the same has the same address, in any sweep.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/sweep/spec/sweep_points.h"

namespace tahoma::runtime {

struct PreparedPoint {
  SweepPoint point;
  std::string id;             // 32 hex digits
  std::string config;         // YAML; "" if refused
  std::string config_sha256;  // of it
  std::uint64_t seed = 0;
  std::string refused;                   // why its values resolve to no configuration; "" if they do
  std::map<std::string, double> values;  // of all parameters that the sweep's metrics name
};

// `binary_sha256`: of the program that will run the points. A point whose values contradict each other is
// refused and stays a row; UserError E-SWP-040 when that is true of all.
std::vector<PreparedPoint> prepare(const SweepSpec& spec, const std::string& binary_sha256);

}  // namespace tahoma::runtime
