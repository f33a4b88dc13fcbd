// SPDX-License-Identifier: Apache-2.0
// The workload `rms_norm`: rows are sharded over the first `cores` cores of a machine in equal parts, each
// with its part of x and y and a copy of g in its own HBM.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_rms_norm();

}  // namespace tahoma::workloads
