// SPDX-License-Identifier: Apache-2.0
// A decoding step on one NeuronCore: one query token of each sequence against its keys and values in a cache,
// with several query heads for each head of keys and values.
//
//   o[h, b, g] = softmax(q[h, b, g] k[h, b]^T / sqrt(d)) v[h, b]   over the first lengths[b] tokens
//
// Arguments: q [kv_heads sequences group, d]; of a contiguous cache k [kv_heads sequences d, capacity] and
// v [kv_heads sequences capacity, d]; of a paged one k and v [kv_heads pages, page d] and table [sequences,
// pages of a sequence], int32 numbers of pages; o like q. Group and d are at most the array's rows and
// columns. Lengths are those of this launch: the program has no branch on them. Leaves out: appending the
// token to the cache, several query tokens, and cutting one sequence over cores.
#pragma once

#include "isa/program.h"
#include "workloads/decode/decode_plan.h"

namespace tahoma::workloads {

isa::Program decode_program(const model::MachineParams& machine, const DecodeShape& shape);

}  // namespace tahoma::workloads
