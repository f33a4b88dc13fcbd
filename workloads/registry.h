// SPDX-License-Identifier: Apache-2.0
// The kinds of workload that Tahoma ships: what `kind:` of a case may name. A program with kernels of its own
// returns these and its own from runtime::workload_kinds().
#pragma once

#include <vector>

#include "runtime/run/workload.h"

namespace tahoma::workloads {

const std::vector<runtime::WorkloadKind>& shipped_kinds();

}  // namespace tahoma::workloads
