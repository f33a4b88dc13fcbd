// SPDX-License-Identifier: Apache-2.0
// Points that are ready to run: each with a self-contained configuration and an address. The address is a
// hash of the resolved configuration, of the files that it names (programs, input tensors) and of the binary:
// equal computations have equal addresses, in any sweep.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/config.h"
#include "runtime/workload/workload.h"
#include "studies/sweep/spec/sweep_points.h"

namespace tahoma::runtime {

struct PreparedSweepPoint {
  SweepPoint point;
  std::string id;             // 32 hex digits
  std::string config;         // YAML; "" if refused
  std::string config_sha256;  // of `config`
  std::uint64_t seed = 0;
  std::string refused;                   // why the values do not resolve to a configuration; "" if they do
  std::map<std::string, double> values;  // of all parameters that the sweep's metrics use
};

// The address of a configuration whose workload file is in `folder`: the same wherever a tree of files is,
// and from whichever folder a command is started.
std::string address_of(const ResolvedConfig& config, const std::filesystem::path& folder,
                       const std::string& binary_sha256);

// `binary_sha256`: of the program that will run the points. A point whose values contradict each other is
// refused and remains as a row, and so is one that ends the process that resolves it. UserError E-SWP-040 if
// all points are refused.
std::vector<PreparedSweepPoint> prepare(const SweepSpec& spec, const std::string& binary_sha256,
                                        const std::vector<WorkloadKind>& kinds = workload_kinds());

}  // namespace tahoma::runtime
