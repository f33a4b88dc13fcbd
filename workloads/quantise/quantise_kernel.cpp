// SPDX-License-Identifier: Apache-2.0
#include "workloads/quantise/quantise_kernel.h"

#include <deque>

#include "workloads/common/ranges.h"
#include "workloads/norm/row_tiles.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

constexpr unsigned kWholeShare = 16;

unsigned columns_of(const TileView& view) { return view.shape.count[isa::kFreeDims - 1]; }

void scale_row(Kernel& kernel, const TileView& dst, const TileView& src, const TileView& scale,
               unsigned vector_share) {
  const unsigned columns = columns_of(src), here = columns * vector_share / kWholeShare;
  if (here > 0) kernel.tensor_scalar(dst.columns(0, here), src.columns(0, here), AluOp::kMult, {0, &scale});
  if (here < columns)
    kernel.activation(dst.columns(here, columns - here), src.columns(here, columns - here), ActFn::kCopy,
                      {0, &scale});
}

// Views each of the columns repeated over the width of a block.
TileView repeated(const TileView& columns, unsigned width) {
  TileView view = columns;
  view.shape.count = {1, 1, columns.shape.count[isa::kFreeDims - 1], static_cast<std::uint16_t>(width)};
  view.tile.stride = {0, 0, columns.tile.stride[isa::kFreeDims - 1], 0};
  return view;
}

// dst = src times the number of its group; two engines share the work. `scales` is [P, groups] of fp32. For
// rows, the vector engine takes `vector_share` 16ths of the columns and the scalar engine the rest; for
// blocks, the vector engine takes that share and GpSimd the rest.
void scale_groups(Kernel& kernel, Group group, const TileView& dst, const TileView& src,
                  const TileView& scales, unsigned vector_share) {
  if (group == Group::kRow) return scale_row(kernel, dst, src, scales, vector_share);
  const unsigned whole = columns_of(src) / kBlockColumns, rest = columns_of(src) % kBlockColumns,
                 here = (whole * vector_share + kWholeShare - 1) / kWholeShare;
  // Consecutive blocks of one width.
  const auto scale_blocks = [&](const Range& blocks, unsigned width, Queue on) {
    if (blocks.count == 0) return;
    const auto first = static_cast<unsigned>(blocks.first);
    const auto seen = [&](const TileView& view) {
      return view.grid(first * kBlockColumns, blocks.count, kBlockColumns, width);
    };
    kernel.tensor_tensor(seen(dst), seen(src), repeated(scales.columns(first, blocks.count), width),
                         AluOp::kMult, on);
  };
  scale_blocks({0, here}, kBlockColumns, Queue::kVector);
  scale_blocks({here, whole - here}, kBlockColumns, Queue::kGpSimd);
  if (rest > 0) scale_blocks({whole, 1}, rest, Queue::kVector);
}

class Quantise {
 public:
  Quantise(const model::MachineParams& machine, const QuantiseShape& shape)
      : machine_(machine),
        shape_(shape),
        columns_(static_cast<unsigned>(shape.columns)),
        groups_(static_cast<unsigned>(shape.groups())),
        kernel_("quantise", machine),
        x_(kernel_.argument("x", shape.wide, shape.rows, shape.columns)),
        y_(kernel_.argument("y", shape.narrow, shape.rows, shape.columns)),
        scale_(kernel_.argument("scale", DType::kFp32, shape.rows, shape.groups())),
        copies_(copies_in(machine, shape.columns * (2 * isa::size_of(shape.wide) + 1), 4)),
        xs_(kernel_.sbuf("x", shape.wide, columns_, copies_)),
        sizes_(kernel_.sbuf("|x|", shape.wide, columns_, std::min(copies_, 2U))),
        ys_(kernel_.sbuf("y", shape.narrow, columns_, copies_)),
        tops_(kernel_.sbuf("largest", shape.wide, groups_, 4)),
        scales_(kernel_.sbuf("scale", DType::kFp32, groups_, 4)),
        inverses_(kernel_.sbuf("1 / scale", DType::kFp32, groups_, 4)) {}

  // The scales of the next tile are computed before this tile's elements are divided.
  isa::Program build() {
    std::deque<Tile> begun;
    for (const Range& rows : row_tiles(machine_, shape_.rows)) {
      begun.push_back(scales_of(rows));
      if (begun.size() < 2 && copies_ > 1) continue;
      divide(begun.front());
      begun.pop_front();
    }
    for (const Tile& tile : begun) divide(tile);
    return kernel_.finish();
  }

 private:
  struct Tile {
    Range rows;
    TileView x, inverses;
  };

  Tile scales_of(const Range& rows) {
    const Tile tile{rows, kernel_.take(xs_, rows.count, columns_),
                    kernel_.take(inverses_, rows.count, groups_)};
    const TileView size = kernel_.take(sizes_, rows.count, columns_),
                   top = kernel_.take(tops_, rows.count, groups_),
                   scale = kernel_.take(scales_, rows.count, groups_);
    kernel_.load(tile.x, x_.window(rows.first, 0, rows.count, columns_));
    if (isa::size_of(shape_.wide) == 2 && shape_.group == Group::kRow)
      kernel_.tensor_scalar(size, tile.x, AluOp::kAbs, {});
    else
      kernel_.activation(size, tile.x, ActFn::kAbs);
    largest(top, size);
    kernel_.tensor_scalar(scale, top, AluOp::kMax, {kLeastMaximum, nullptr}, AluOp::kDivide,
                          {largest_of(shape_.narrow), nullptr});
    kernel_.reciprocal(tile.inverses, scale);
    kernel_.store(scale_.window(rows.first, 0, rows.count, groups_), scale, Queue::kGpSimd);
    return tile;
  }

  void largest(const TileView& top, const TileView& size) {
    if (shape_.group == Group::kRow) return kernel_.reduce(top, size, AluOp::kMax);
    const unsigned whole = columns_ / kBlockColumns, rest = columns_ % kBlockColumns;
    if (whole > 0)
      kernel_.reduce(top.grid(0, whole, 1, 1), size.grid(0, whole, kBlockColumns, kBlockColumns),
                     AluOp::kMax);
    if (rest > 0)
      kernel_.reduce(top.columns(whole, 1), size.columns(whole * kBlockColumns, rest), AluOp::kMax);
  }

  void divide(const Tile& tile) {
    const TileView out = kernel_.take(ys_, tile.rows.count, columns_);
    constexpr unsigned kRowShare = 0, kBlockShare = 10;
    scale_groups(kernel_, shape_.group, out, tile.x, tile.inverses,
                 shape_.group == Group::kRow ? kRowShare : kBlockShare);
    kernel_.store(y_.window(tile.rows.first, 0, tile.rows.count, columns_), out, Queue::kGpSimd);
  }

  const model::MachineParams& machine_;
  QuantiseShape shape_;
  unsigned columns_, groups_;
  Kernel kernel_;
  HbmView x_, y_, scale_;
  unsigned copies_;
  Pool xs_, sizes_, ys_, tops_, scales_, inverses_;
};

}  // namespace

float largest_of(DType fp8) {
  constexpr float kE5M2 = 57344, kE4M3 = 240, kE3M4 = 15.5F;
  if (fp8 == DType::kFp8E5M2) return kE5M2;
  return fp8 == DType::kFp8E4M3 ? kE4M3 : kE3M4;
}

isa::Program quantise_program(const model::MachineParams& machine, const QuantiseShape& shape) {
  return Quantise(machine, shape).build();
}

isa::Program dequantise_program(const model::MachineParams& machine, const QuantiseShape& shape) {
  const auto columns = static_cast<unsigned>(shape.columns), groups = static_cast<unsigned>(shape.groups());
  const unsigned copies = copies_in(machine, shape.columns * (1 + isa::size_of(shape.wide)), 4);
  Kernel kernel("dequantise", machine);
  const HbmView y = kernel.argument("y", shape.narrow, shape.rows, shape.columns),
                scale = kernel.argument("scale", DType::kFp32, shape.rows, shape.groups()),
                x = kernel.argument("x", shape.wide, shape.rows, shape.columns);
  const Pool ys = kernel.sbuf("y", shape.narrow, columns, copies),
             scales = kernel.sbuf("scale", DType::kFp32, groups, 4),
             xs = kernel.sbuf("x", shape.wide, columns, copies);
  for (const Range& rows : row_tiles(machine, shape.rows)) {
    const TileView in = kernel.take(ys, rows.count, columns), by = kernel.take(scales, rows.count, groups),
                   out = kernel.take(xs, rows.count, columns);
    kernel.load(in, y.window(rows.first, 0, rows.count, columns));
    kernel.load(by, scale.window(rows.first, 0, rows.count, groups));
    constexpr unsigned kRowShare = 7, kBlockShare = 10;
    scale_groups(kernel, shape.group, out, in, by, shape.group == Group::kRow ? kRowShare : kBlockShare);
    kernel.store(x.window(rows.first, 0, rows.count, columns), out, Queue::kGpSimd);
  }
  return kernel.finish();
}

}  // namespace tahoma::workloads
