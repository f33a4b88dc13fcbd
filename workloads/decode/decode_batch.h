// SPDX-License-Identifier: Apache-2.0
// Sequences of a decoding step whose queries and outputs are transposed together, as many as the array has
// columns: adjacent sequences over all heads of keys and values, or, if tokens are in rows, of one head.
#pragma once

#include "runtime/builder/kernel.h"
#include "workloads/decode/decode_plan.h"

namespace tahoma::workloads {

struct DecodeBatch {
  std::uint64_t first = 0;        // over all heads
  unsigned place = 0, count = 0;  // of the requested sequence; of all
};
DecodeBatch batch_of(const DecodeShape& shape, const DecodeTiling& tiling, std::uint64_t sequence);

// A batch's rows of q or o, of which a head has `features`: one for each query, or by rows one for each
// sequence.
runtime::HbmView rows_of(const DecodeShape& shape, const DecodeBatch& batch, const runtime::HbmView& view,
                         std::uint64_t features);
unsigned rows_of(const DecodeShape& shape, const DecodeBatch& batch);
unsigned row_columns(const DecodeShape& shape, std::uint64_t features);

// Returns the columns of one sequence among those of its batch: side by side, or by rows head by head.
runtime::TileView of_sequence(const DecodeShape& shape, const DecodeBatch& batch,
                              const runtime::TileView& columns);

}  // namespace tahoma::workloads
