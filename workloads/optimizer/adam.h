// SPDX-License-Identifier: Apache-2.0
// The workload `adam`: one step of AdamW on a matrix of parameters, whose rows are sharded over the first
// `cores` cores of a machine. The new p, m and v have separate names (p_next, ...), beside the old ones in
// HBM.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_adam();

}  // namespace tahoma::workloads
