// SPDX-License-Identifier: Apache-2.0
// The workload `conv2d`: images are sharded over the first `cores` cores of a machine in equal parts, each
// with a copy of weights and bias in its own HBM. The input w is a matrix [out_channels, in_channels * filter
// * filter], the usual four dimensions with the last three merged, and is placed transposed.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_conv2d();

}  // namespace tahoma::workloads
