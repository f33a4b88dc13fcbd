// SPDX-License-Identifier: Apache-2.0
// The workload `rope`: rotary position embedding of x [tokens, heads, d]. Tokens are sharded over the cores.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_rope();

}  // namespace tahoma::workloads
