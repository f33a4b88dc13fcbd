// SPDX-License-Identifier: Apache-2.0
#include "workloads/decode/decode_merge.h"

#include <algorithm>
#include <vector>

#include "workloads/common/ranges.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr std::uint64_t kMergedColumns =
    8192;  // of the heads that are merged together, so that their tiles fit SBUF

class Merge {
 public:
  Merge(Kernel& kernel, const DecodeMergeShape& shape, const DecodeMergeViews& views)
      : kernel_(kernel),
        shape_(shape),
        views_(views),
        heads_(static_cast<unsigned>(shape.heads)),
        d_(static_cast<unsigned>(shape.d)),
        together_(static_cast<unsigned>(std::clamp<std::uint64_t>(kMergedColumns / shape.d, 1, shape.heads))),
        weights_(kernel.sbuf("weights", DType::kFp32, heads_, static_cast<unsigned>(shape.parts) + 1)),
        sums_(kernel.sbuf("maxima and sums", DType::kFp32, heads_, 4)),
        in_(kernel.sbuf("part", shape.dtype, together_ * d_, 2)),
        total_(kernel.sbuf("total", DType::kFp32, together_ * d_, 2)),
        out_(kernel.sbuf("merged", views.o.dtype, together_ * d_, 2)) {}

  void emit(const Range& rows) {
    const std::vector<TileView> weights = weigh(rows);
    for (const Range& heads : cut(all_of(shape_.heads), together_)) add_up(rows, heads, weights);
  }

 private:
  void add_up(const Range& rows, const Range& heads, const std::vector<TileView>& weights) {
    const auto first = static_cast<unsigned>(heads.first);
    const TileView total = kernel_.take(total_, rows.count, heads.count * d_);
    for (std::uint64_t i = 0; i < shape_.parts; ++i) {
      const TileView part = kernel_.take(in_, rows.count, heads.count * d_);
      kernel_.load(part, window(views_.parts, i * shape_.sequences + rows.first, rows.count, heads));
      for (unsigned h = 0; h < heads.count; ++h) {
        const TileView weight = weights[i].columns(first + h, 1), sum = total.columns(h * d_, d_),
                       one = part.columns(h * d_, d_);
        if (i == 0)
          kernel_.tensor_scalar(sum, one, AluOp::kMult, {0, &weight});
        else
          kernel_.scalar_tensor_tensor(sum, one, AluOp::kMult, {0, &weight}, AluOp::kAdd, sum);
      }
    }
    const TileView out = kernel_.take(out_, rows.count, heads.count * d_);
    kernel_.copy(out, total);
    kernel_.store(window(views_.o, rows.first, rows.count, heads), out, isa::Queue::kGpSimd);
  }

  HbmView window(const HbmView& view, std::uint64_t first, std::uint64_t count, const Range& heads) const {
    return view.window(first, heads.first * d_, count, std::uint64_t{heads.count} * d_);
  }

  // Returns the values of a part as [sequences, heads].
  HbmView lse_of(std::uint64_t part, const Range& rows) const {
    HbmView transposed = views_.lse.window(part, rows.first, 1, 1);
    transposed.rows = rows.count;
    transposed.columns = shape_.heads;
    transposed.row_stride = 1;
    transposed.column_stride = static_cast<std::int64_t>(shape_.sequences);
    return transposed;
  }

  // exp(l_i - max) / sum, [sequences, heads] each.
  std::vector<TileView> weigh(const Range& rows) {
    std::vector<TileView> weights;
    const auto small = [&] { return kernel_.take(sums_, rows.count, heads_); };
    const TileView row_max = small(), sum = small();
    for (std::uint64_t i = 0; i < shape_.parts; ++i) {
      weights.push_back(kernel_.take(weights_, rows.count, heads_));
      kernel_.load(weights[i], lse_of(i, rows));
      if (i == 0)
        kernel_.copy(row_max, weights[i]);
      else
        kernel_.tensor_tensor(row_max, row_max, weights[i], AluOp::kMax);
    }
    for (std::uint64_t i = 0; i < shape_.parts; ++i) {
      kernel_.tensor_tensor(weights[i], weights[i], row_max, AluOp::kSubtract);
      kernel_.activation(weights[i], weights[i], ActFn::kExp);
      if (i == 0)
        kernel_.copy(sum, weights[i]);
      else
        kernel_.tensor_tensor(sum, sum, weights[i], AluOp::kAdd);
    }
    kernel_.reciprocal(sum, sum);
    for (const TileView& weight : weights) kernel_.tensor_tensor(weight, weight, sum, AluOp::kMult);
    return weights;
  }

  Kernel& kernel_;
  DecodeMergeShape shape_;
  DecodeMergeViews views_;
  unsigned heads_, d_, together_;  // heads whose columns are added up together
  Pool weights_, sums_, in_, total_, out_;
};

}  // namespace

void emit_decode_merge(Kernel& kernel, const model::MachineParams& machine, const DecodeMergeShape& shape,
                       const DecodeMergeViews& views) {
  Merge merge(kernel, shape, views);
  const auto together = static_cast<unsigned>(machine.chip.core.sbuf.partitions);
  for (const Range& rows : cut(all_of(shape.sequences), together)) merge.emit(rows);
}

}  // namespace tahoma::workloads
