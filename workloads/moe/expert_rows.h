// SPDX-License-Identifier: Apache-2.0
// The data movement around the experts of a mixture. Rows of tokens are gathered by number, contiguously for
// each expert; afterwards the expert outputs of a token are summed with its gates as weights. A router
// produces the row numbers at run time, so GpSimd's indirect transfers follow them, 128 rows at a time. They
// are control values, which both modes have (runtime/builder/kernel.h).
#pragma once

#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct TakeRowsViews {
  runtime::HbmView from;     // [any rows, columns]
  runtime::HbmView numbers;  // [rows, 1] int32, rows of `from`
  runtime::HbmView to;       // [rows, columns]
};

// to[i] = from[numbers[i]]. Takes up to 96 KiB of each SBUF partition.
void emit_take_rows(runtime::Kernel& kernel, const model::MachineParams& machine, const TakeRowsViews& views);

struct WeightedRowsViews {
  runtime::HbmView from;     // [any rows, columns] of 2 bytes
  runtime::HbmView numbers;  // [rows, terms] int32, rows of `from`
  runtime::HbmView weights;  // [rows, terms] fp32
  runtime::HbmView y;        // [rows, columns] in from's dtype
};

// y[i] = sum over k of weights[i, k] from[numbers[i, k]], in fp32 in the order of k, rounded once. Takes up
// to 144 KiB of each SBUF partition.
void emit_weighted_rows(runtime::Kernel& kernel, const model::MachineParams& machine,
                        const WeightedRowsViews& views);

}  // namespace tahoma::workloads
