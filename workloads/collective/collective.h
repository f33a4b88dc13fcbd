// SPDX-License-Identifier: Apache-2.0
// The workload `collective`: one collective operation over a range of sizes, as nccom-test runs them, by
// every group of the case at once, one size behind the other with a barrier in between. The sizes mean what
// they mean there (runtime/collective/result/collective_result.h); a vector that does not fall into equal chunks is rounded up.
#pragma once

#include <memory>

#include "runtime/run/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_collective();

}  // namespace tahoma::workloads
