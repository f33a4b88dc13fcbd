// SPDX-License-Identifier: Apache-2.0
// The workloads `moe_router`, from tokens and the router's weights, and `moe_routing`, from given logits.
// They compute the experts of each token in a mixture, its gates, and its position at each expert. Tokens are
// sharded over the cores; each core counts its own.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_moe_router();
std::unique_ptr<runtime::Workload> make_moe_routing();

}  // namespace tahoma::workloads
