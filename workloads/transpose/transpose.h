// SPDX-License-Identifier: Apache-2.0
// The workload `transpose`: y = x^T, whose rows (columns of x) are sharded over the first `cores` cores of a
// machine, each with a copy of x in its own HBM. The golden check is exact.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_transpose();

}  // namespace tahoma::workloads
