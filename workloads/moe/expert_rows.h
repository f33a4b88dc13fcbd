// SPDX-License-Identifier: Apache-2.0
// What surrounds the experts of a mixture: rows of tokens are taken by number and stand behind one another
// for their experts; and what the experts made of a token is added up, by its gates. Row numbers are what a
// router gives out at run time, so they are followed by GpSimd's indirect transfers, 128 rows at a time; they
// are control values, which both modes have (runtime/builder/kernel.h).
#pragma once

#include "model/system/machine_params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct TakeRowsViews {
  runtime::HbmView from;     // [any rows, columns]
  runtime::HbmView numbers;  // [rows, 1] int32, of rows of `from`
  runtime::HbmView to;       // [rows, columns]
};

// to[i] = from[numbers[i]]. Takes up to 96 KiB of each SBUF partition.
void emit_take_rows(runtime::Kernel& kernel, const model::MachineParams& machine, const TakeRowsViews& views);

struct WeightedRowsViews {
  runtime::HbmView from;     // [any rows, columns] of 2 bytes
  runtime::HbmView numbers;  // [rows, terms] int32, of rows of `from`
  runtime::HbmView weights;  // [rows, terms] fp32
  runtime::HbmView y;        // [rows, columns], of from's dtype
};

// y[i] = sum over k of weights[i, k] from[numbers[i, k]], in fp32 in the order of k, rounded once. Takes up
// to 144 KiB of each SBUF partition.
void emit_weighted_rows(runtime::Kernel& kernel, const model::MachineParams& machine,
                        const WeightedRowsViews& views);

}  // namespace tahoma::workloads
