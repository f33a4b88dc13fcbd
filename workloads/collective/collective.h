// SPDX-License-Identifier: Apache-2.0
// The workload `collective`: one collective operation over a range of sizes, as nccom-test runs them. All
// groups of the case run it at once, one size after the other with a barrier in between. The sizes have the
// meaning that they have in nccom-test (runtime/collective/result/collective_result.h); a vector that does
// not divide into equal chunks is rounded up.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_collective();

}  // namespace tahoma::workloads
