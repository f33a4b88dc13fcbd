// SPDX-License-Identifier: Apache-2.0
// The kinds of workload that Tahoma ships: the legal values of a case's `kind:`. A program with its own
// kernels returns these and its own from runtime::workload_kinds().
#pragma once

#include <vector>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

const std::vector<runtime::WorkloadKind>& shipped_kinds();

}  // namespace tahoma::workloads
