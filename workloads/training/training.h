// SPDX-License-Identifier: Apache-2.0
// The workload `training`: one step of training a model's layers and head over the machine.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_training();

}  // namespace tahoma::workloads
