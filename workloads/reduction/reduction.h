// SPDX-License-Identifier: Apache-2.0
// The workload `reduction`: rows are sharded over the first `cores` cores of a machine. Over columns there is
// one result for each row; over rows each core has the results of its own rows, so y has one row for each
// core.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_reduction();

}  // namespace tahoma::workloads
