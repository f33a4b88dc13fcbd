// SPDX-License-Identifier: Apache-2.0
// The workload `convolution`: a convolution with bias. Images are sharded over the first `cores` cores, each
// with a copy of the weights in its own HBM.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_convolution();

}  // namespace tahoma::workloads
