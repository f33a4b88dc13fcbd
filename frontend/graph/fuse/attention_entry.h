// SPDX-License-Identifier: Apache-2.0
// Attention as an entry of the plan: its masks, its kernel, and how far its result may be from the
// definition. Masks are divided by the factor of the scores, and limited to -1e30. A constant mask that hides
// the keys behind each query, and no others, is not read at all; one that bf16 holds is bf16.
// Where all keys of a query have the weight exp(-inf), which is undefined, the kernel computes their mean.
#pragma once

#include "frontend/graph/fuse/attention_pattern.h"
#include "frontend/graph/fuse/fusion.h"

namespace tahoma::workloads::graph {

PlanEntry attention_entry(const Graph& graph, const AttentionPattern& pattern);

}  // namespace tahoma::workloads::graph
