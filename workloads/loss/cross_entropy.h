// SPDX-License-Identifier: Apache-2.0
// The workload `cross_entropy`: losses, parts of their mean and gradient of the logits. Rows are sharded over
// the cores; each core adds up its own part of the mean.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_cross_entropy();

}  // namespace tahoma::workloads
