// SPDX-License-Identifier: Apache-2.0
// The workload `vector_add`: y = a + b. Elements are sharded over the first `cores` cores of a machine in
// whole tiles, each core with its part of a, b and y in its own HBM.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_vector_add();

}  // namespace tahoma::workloads
