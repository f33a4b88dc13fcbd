// SPDX-License-Identifier: Apache-2.0
// The workloads `softmax`, `softmax_backward`, `layer_norm`, `layer_norm_backward` and `rms_norm_backward`:
// rows are sharded over the first `cores` cores of a machine in equal parts. Each core has its part of the
// matrices, a copy of gain and bias and its own sums over its rows in its own HBM. The golden relations are
// those of workloads/norm/norm_definition.h.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_softmax();
std::unique_ptr<runtime::Workload> make_softmax_backward();
std::unique_ptr<runtime::Workload> make_layer_norm();
std::unique_ptr<runtime::Workload> make_layer_norm_backward();
std::unique_ptr<runtime::Workload> make_rms_norm_backward();

}  // namespace tahoma::workloads
