// SPDX-License-Identifier: Apache-2.0
// How far a flash kernel's result may be from softmax(factor q k^T + masks) v in double: the rule of
// workloads/attention/golden/golden_attention.h, for masks of any values. Weights are rounded to the inputs'
// type; errors that all weights of a query may share (scores, exponential, sums) count in full.
#pragma once

#include <functional>
#include <vector>

#include "frontend/graph/fuse/attention_pattern.h"

namespace tahoma::workloads::graph {

// Of the result of the product with the values, by element. `value`: the exact values of the pattern's nodes.
std::vector<double> attention_slack(const Graph& graph, const AttentionPattern& pattern,
                                    const std::function<Array(ValueId)>& value, isa::DType rounded);

}  // namespace tahoma::workloads::graph
