// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "workloads/norm/row_tiles.h"
#include "workloads/reduction/directions.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

constexpr unsigned kLoadBytes = 8192;  // of a partition: 1 MiB a load
constexpr unsigned kVectorSums = 4;    // of kAllSums parts of a row: 0.96 GHz beside 1.2 GHz
constexpr unsigned kAllSums = 9;
constexpr unsigned kLeastFold = 64;  // columns below which a fold costs more than it saves

class OverColumns {
 public:
  OverColumns(Kernel& kernel, const model::MachineParams& machine, const ReductionShape& shape,
              const ReductionViews& views)
      : machine_(machine),
        shape_(shape),
        width_(static_cast<unsigned>(
            std::min<std::uint64_t>(shape.columns, kLoadBytes / isa::size_of(shape.dtype)))),
        pieces_(cut(all_of(shape.columns), width_)),
        parts_(static_cast<unsigned>(pieces_.size()) * (adds() ? 2 : 1)),
        kernel_(kernel),
        x_(views.x),
        y_(views.y),
        xs_(kernel_.sbuf("x", shape.dtype, width_, 6)),
        partials_(kernel_.sbuf("partial results", adds() ? DType::kFp32 : shape.dtype, parts_, 4)),
        ys_(kernel_.sbuf("y", DType::kFp32, 1, 8)) {
    if (shape.out != DType::kFp32) rounded_ = kernel_.sbuf("rounded y", shape.out, 1, 8);
  }

  void emit() {
    for (const Range& rows : row_tiles(machine_, shape_.rows)) {
      const TileView partial = kernel_.take(partials_, rows.count, parts_);
      unsigned part = 0;
      for (const Range& piece : pieces_) {
        const TileView x = kernel_.take(xs_, rows.count, piece.count);
        kernel_.load(x, x_.window(rows.first, piece.first, rows.count, piece.count));
        part = adds() ? add(x, partial, part) : extremum(x, partial, part);
      }
      finish(rows, partial.columns(0, part));
    }
  }

 private:
  bool adds() const { return shape_.op == ReductionOp::kSum || shape_.op == ReductionOp::kMean; }
  AluOp op() const {
    if (adds()) return AluOp::kAdd;
    return shape_.op == ReductionOp::kMax ? AluOp::kMax : AluOp::kMin;
  }

  // Both return the next free column of partial results.
  unsigned add(const TileView& x, const TileView& partial, unsigned part) {
    const unsigned columns = x.shape.count[isa::kFreeDims - 1], here = columns * kVectorSums / kAllSums;
    if (here > 0) kernel_.reduce(partial.columns(part++, 1), x.columns(0, here), AluOp::kAdd);
    const TileView there = x.columns(here, columns - here);
    kernel_.activation_reduce(there, partial.columns(part++, 1), there, ActFn::kCopy);
    return part;
  }
  unsigned extremum(const TileView& x, const TileView& partial, unsigned part) {
    TileView left = x;
    const auto width = [&] { return left.shape.count[isa::kFreeDims - 1]; };
    const bool folds = isa::size_of(shape_.dtype) == 2 && shape_.op == ReductionOp::kMin;
    while (folds && width() % 2 == 0 && width() > kLeastFold) {
      const TileView half = left.columns(0, width() / 2);
      kernel_.tensor_tensor(half, half, left.columns(width() / 2, width() / 2), op());
      left = half;
    }
    kernel_.reduce(partial.columns(part, 1), left, op());
    return part + 1;
  }

  void finish(const Range& rows, const TileView& partial) {
    const TileView y = kernel_.take(ys_, rows.count, 1);
    kernel_.reduce(y, partial, op());
    if (shape_.op == ReductionOp::kMean)
      kernel_.tensor_scalar(y, y, AluOp::kMult, {1.0F / static_cast<float>(shape_.columns), nullptr});
    const HbmView to = y_.window(rows.first, 0, rows.count, 1);
    if (!rounded_) return kernel_.store(to, y, Queue::kGpSimd);
    const TileView rounded = kernel_.take(*rounded_, rows.count, 1);
    kernel_.copy(rounded, y);
    kernel_.store(to, rounded, Queue::kGpSimd);
  }

  const model::MachineParams& machine_;
  ReductionShape shape_;
  unsigned width_;
  std::vector<Range> pieces_;
  unsigned parts_;
  Kernel& kernel_;
  HbmView x_, y_;
  Pool xs_, partials_, ys_;
  std::optional<Pool> rounded_;
};

}  // namespace

void emit_over_columns(Kernel& kernel, const model::MachineParams& machine, const ReductionShape& shape,
                       const ReductionViews& views) {
  OverColumns(kernel, machine, shape, views).emit();
}

}  // namespace tahoma::workloads
