// SPDX-License-Identifier: Apache-2.0
// The workload `transformer`: decoder layers of a model on ranks of the machine, prefill or decode.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_transformer();

}  // namespace tahoma::workloads
