// SPDX-License-Identifier: Apache-2.0
#include "workloads/moe/expert_rows.h"

#include <algorithm>

#include "workloads/common/ranges.h"

namespace tahoma::workloads {

using isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

// Columns of a row per piece: three copies of 16 bits and sums of 32 bits fit into a partition.
constexpr std::uint64_t kTakenColumns = 16384, kWeightedColumns = 8192;

unsigned height_of(const model::MachineParams& machine) {
  return static_cast<unsigned>(machine.chip.core.sbuf.partitions);
}

HbmView window(const HbmView& view, const Range& rows, const Range& columns) {
  return view.window(rows.first, columns.first, rows.count, columns.count);
}

TileView load_rows(Kernel& kernel, Pool pool, const HbmView& view, const Range& rows) {
  const TileView tile = kernel.take(pool, rows.count, static_cast<unsigned>(view.columns));
  kernel.load(tile, window(view, rows, all_of(view.columns)));
  return tile;
}

}  // namespace

void emit_take_rows(Kernel& kernel, const model::MachineParams& machine, const TakeRowsViews& v) {
  const auto width = static_cast<unsigned>(std::min(kTakenColumns, v.to.columns));
  const Pool numbers = kernel.sbuf("row numbers", DType::kInt32, 1, 3),
             taken = kernel.sbuf("rows", v.to.dtype, width, 3);
  for (const Range& rows : cut(all_of(v.to.rows), height_of(machine))) {
    const TileView number = load_rows(kernel, numbers, v.numbers, rows);
    for (const Range& columns : cut(all_of(v.to.columns), width)) {
      const TileView tile = kernel.take(taken, rows.count, columns.count);
      kernel.gather(tile, window(v.from, all_of(v.from.rows), columns), number);
      kernel.store(window(v.to, rows, columns), tile, Queue::kScalar);
    }
  }
}

void emit_weighted_rows(Kernel& kernel, const model::MachineParams& machine, const WeightedRowsViews& v) {
  const auto width = static_cast<unsigned>(std::min(kWeightedColumns, v.y.columns)),
             terms = static_cast<unsigned>(v.numbers.columns);
  const Pool numbers = kernel.sbuf("row numbers", DType::kInt32, terms, 2),
             weights = kernel.sbuf("weights", DType::kFp32, terms, 2),
             taken = kernel.sbuf("rows", v.from.dtype, width, 3),
             sums = kernel.sbuf("weighted sums", DType::kFp32, width, 2),
             results = kernel.sbuf("rounded sums", v.y.dtype, width, 2);
  for (const Range& rows : cut(all_of(v.y.rows), height_of(machine))) {
    const TileView number = load_rows(kernel, numbers, v.numbers, rows),
                   weight = load_rows(kernel, weights, v.weights, rows);
    for (const Range& columns : cut(all_of(v.y.columns), width)) {
      const TileView sum = kernel.take(sums, rows.count, columns.count),
                     result = kernel.take(results, rows.count, columns.count);
      for (unsigned k = 0; k < terms; ++k) {
        const TileView row = kernel.take(taken, rows.count, columns.count), by = weight.columns(k, 1);
        kernel.gather(row, window(v.from, all_of(v.from.rows), columns), number.columns(k, 1));
        const TileView& to = k + 1 == terms ? result : sum;
        if (k == 0)
          kernel.tensor_scalar(to, row, AluOp::kMult, {0, &by});
        else
          kernel.scalar_tensor_tensor(to, row, AluOp::kMult, {0, &by}, AluOp::kAdd, sum);
      }
      kernel.store(window(v.y, rows, columns), result, Queue::kScalar);
    }
  }
}

}  // namespace tahoma::workloads
