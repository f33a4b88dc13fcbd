// SPDX-License-Identifier: Apache-2.0
// A decoding step on one NeuronCore: one query token of each sequence against its keys and values in a cache,
// with several query heads for each head of keys and values.
//
//   o[h, b, g] = softmax(q[h, b, g] k[h, b]^T / sqrt(d)) v[h, b]   over the first lengths[b] tokens
//
// In HBM: q [kv_heads sequences group, d], or `by_rows` [sequences, kv_heads group d], perhaps columns of a
// wider matrix; of a contiguous cache k [kv_heads sequences d, capacity] and v [kv_heads sequences capacity,
// d]; of a paged one k and v [kv_heads pages, page d] and table [sequences, pages of a sequence], int32
// numbers of pages; caches are dense; o like q. Group and d are at most the array's rows and columns. Lengths
// are those of this launch: the program has no branch on them. Leaves out: appending the token to the cache,
// several query tokens, and cutting one sequence over
// cores, whose parts decode_merge.h puts together by their `lse`.
#pragma once

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"
#include "workloads/decode/decode_plan.h"

namespace tahoma::workloads {

struct DecodeViews {
  runtime::HbmView q, k, v, o;
  runtime::HbmView
      table;  // of a paged cache; has to come from an argument that the caller has declared `control`
  runtime::HbmView lse{};  // where the shape asks for it: [kv_heads group, sequences] of fp32
};

// Appends it to a kernel, which may hold more than this. Takes 6 PSUM banks, 8 with pages, and some 110 KiB
// of each SBUF partition, of fp32 190.
void emit_decode(runtime::Kernel& kernel, const model::MachineParams& machine, const DecodeShape& shape,
                 const DecodeViews& views);

// Alone, with the arguments q, k, v, table if there is one, o.
isa::Program decode_program(const model::MachineParams& machine, const DecodeShape& shape);

}  // namespace tahoma::workloads
