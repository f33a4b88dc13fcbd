// SPDX-License-Identifier: Apache-2.0
// The workload `embedding`: y[i] = table[ids[i]]. Ids are sharded over the cores, each of which has the whole
// table in its HBM. Ids outside the table are refused before the run (E-RUN-099).
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_embedding();

}  // namespace tahoma::workloads
