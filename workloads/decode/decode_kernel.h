// SPDX-License-Identifier: Apache-2.0
// A decoding step on one NeuronCore: one query token of each sequence attends to its keys and values in a
// cache, with several query heads for each head of keys and values.
//
//   o[h, b, g] = softmax(q[h, b, g] k[h, b]^T / sqrt(d)) v[h, b]   over the first lengths[b] tokens
//
// HBM layout: q [kv_heads sequences group, d], or `by_rows` [sequences, kv_heads group d], possibly columns
// of a wider matrix. A contiguous cache has k [kv_heads sequences d, capacity] and v [kv_heads sequences
// capacity, d]; a paged one has k and v [kv_heads pages, page d] and table [sequences, pages of a sequence],
// int32 page numbers. Caches are dense; o has the layout of q, and may have a narrower type. The group is at
// most most_decode_group(); a d above the array's rows is processed in parts. Lengths are those of this
// launch: the program does not branch on them. Not supported: appending the token to the cache, several query
// tokens, and partitioning one sequence over cores (decode_merge.h merges such parts by their `lse`).
#pragma once

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"
#include "workloads/decode/decode_plan.h"

namespace tahoma::workloads {

struct DecodeViews {
  runtime::HbmView q, k, v, o;
  runtime::HbmView
      table;  // of a paged cache; must come from an argument that the caller has declared `control`
  runtime::HbmView lse{};  // if the shape asks for it: [kv_heads group, sequences] of fp32
  // With a latent cache, q and o have the first elements of a head, and this the others, [sequences, kv_heads
  // group (d - latent)]. The cache is k, [kv_heads sequences capacity, d] or pages; v is not used.
  runtime::HbmView q_last{};
};

// Appends the step to a kernel that may contain other work. Takes 6 PSUM banks, 8 with pages, and some 110
// KiB of each SBUF partition (190 KiB if a token has 512 bytes).
void emit_decode(runtime::Kernel& kernel, const model::MachineParams& machine, const DecodeShape& shape,
                 const DecodeViews& views);

// A program of its own with the arguments q, k, v, table (if paged) and o.
isa::Program decode_program(const model::MachineParams& machine, const DecodeShape& shape);

}  // namespace tahoma::workloads
