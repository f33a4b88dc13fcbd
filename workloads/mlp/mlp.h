// SPDX-License-Identifier: Apache-2.0
// The workload `mlp`: tokens are sharded over the first `cores` cores of a machine in equal parts, each with
// its part of x and y, feature-major, and a copy of the weights in its own HBM.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_mlp();

}  // namespace tahoma::workloads
