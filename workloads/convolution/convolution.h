// SPDX-License-Identifier: Apache-2.0
// The workload `convolution`: a convolution with bias on core 0, its tensors in the core's own HBM.
#pragma once

#include <memory>

#include "runtime/run/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_convolution();

}  // namespace tahoma::workloads
