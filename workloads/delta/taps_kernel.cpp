// SPDX-License-Identifier: Apache-2.0
#include "workloads/delta/taps_kernel.h"

#include <algorithm>

#include "workloads/common/ranges.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr std::uint64_t kColumns = 1024;

class Taps {
 public:
  Taps(Kernel& kernel, const model::MachineParams& machine, const std::vector<Tap>& taps,
       const HbmView& weights, const HbmView& y)
      : kernel_(kernel),
        height_(static_cast<unsigned>(machine.chip.core.sbuf.partitions)),
        taps_(taps),
        weights_(weights),
        y_(y) {
    const auto width = static_cast<unsigned>(std::min(kColumns, y.columns)),
               count = static_cast<unsigned>(taps.size());
    xs_ = kernel.sbuf("taps", DType::kBf16, width, 2 * count);
    rows_ = kernel.sbuf("weights of taps", DType::kFp32, width, static_cast<unsigned>(weights.rows));
    products_ = kernel.sbuf("products", DType::kFp32, width, 2);
    sums_ = kernel.sbuf("sums", DType::kFp32, width, 3);
    results_ = kernel.sbuf("mixed", DType::kBf16, width, 3);
  }

  void emit() {
    for (const Range& columns : cut(all_of(y_.columns), static_cast<unsigned>(kColumns))) {
      std::vector<TileView> weights;
      for (std::size_t j = 0; j < weights_.rows; ++j) {
        HbmView row = weights_.window(j, columns.first, 1, columns.count);
        row.rows = std::min<std::uint64_t>(height_, y_.rows);
        row.row_stride = 0;
        weights.push_back(kernel_.take(rows_, static_cast<unsigned>(row.rows), columns.count));
        kernel_.load(weights.back(), row);
      }
      for (const Range& rows : cut(all_of(y_.rows), height_)) add_up(rows, columns, weights);
    }
  }

 private:
  TileView loaded(const Tap& tap, const Range& rows, const Range& columns) {
    const TileView tile = kernel_.take(xs_, rows.count, columns.count);
    const std::uint64_t missing = tap.missing - std::min(tap.missing, rows.first);
    if (missing > 0) kernel_.memset(tile, 0);
    if (missing >= rows.count) return tile;
    const auto first = static_cast<unsigned>(missing), count = rows.count - first;
    kernel_.load(tile.partitions(first, count),
                 tap.x.window(rows.first + missing - tap.missing, columns.first, count, columns.count));
    return tile;
  }

  void add_up(const Range& rows, const Range& columns, const std::vector<TileView>& weights) {
    TileView sum = kernel_.take(sums_, rows.count, columns.count);
    for (std::size_t j = 0; j < taps_.size(); ++j) {
      const TileView x = loaded(taps_[j], rows, columns), weight = weights[j].partitions(0, rows.count);
      if (j == 0) {
        kernel_.tensor_tensor(sum, x, weight, AluOp::kMult);
        continue;
      }
      const TileView product = kernel_.take(products_, rows.count, columns.count);
      kernel_.tensor_tensor(product, x, weight, AluOp::kMult, isa::Queue::kGpSimd);
      kernel_.tensor_tensor(sum, sum, product, AluOp::kAdd);
    }
    if (weights.size() > taps_.size())
      kernel_.tensor_tensor(sum, sum, weights.back().partitions(0, rows.count), AluOp::kAdd);
    const TileView result = kernel_.take(results_, rows.count, columns.count);
    kernel_.activation(result, sum, ActFn::kSilu);
    kernel_.store(y_.window(rows.first, columns.first, rows.count, columns.count), result,
                  isa::Queue::kGpSimd);
  }

  Kernel& kernel_;
  unsigned height_;
  const std::vector<Tap>& taps_;
  HbmView weights_, y_;
  Pool xs_, rows_, products_, sums_, results_;
};

}  // namespace

void emit_taps(Kernel& kernel, const model::MachineParams& machine, const std::vector<Tap>& taps,
               const HbmView& weights, const HbmView& y) {
  const Kernel::Scope scope(kernel);
  Taps(kernel, machine, taps, weights, y).emit();
}

}  // namespace tahoma::workloads
