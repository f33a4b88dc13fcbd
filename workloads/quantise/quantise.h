// SPDX-License-Identifier: Apache-2.0
// The workloads `quantise` and `dequantise`: rows are sharded over the first `cores` cores of a machine.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_quantise();
std::unique_ptr<runtime::Workload> make_dequantise();

}  // namespace tahoma::workloads
