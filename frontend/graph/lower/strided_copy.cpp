// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/lower/strided_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "frontend/graph/operators/operator_definition.h"
#include "workloads/transpose/transpose_kernel.h"

namespace tahoma::workloads::graph {

namespace {

using runtime::HbmView;

constexpr std::int64_t kLeastPlane = 16;   // of a side of a plane that is transposed as a whole
constexpr std::int64_t kMostSpan = 16384;  // elements of a row of either side in SBUF
constexpr std::int64_t kMostGaps = 16;     // of the elements between the first and the last, one is copied
constexpr std::int64_t kFill = 4096;       // elements of a row that one element fills, at most
constexpr std::int64_t kTensorPlane = 96;  // from which the tensor engine is faster than the DMA engines

// Without dimensions of 1; neighbours that are one run on both sides are one dimension. Ordered by the
// strides of the destination.
std::vector<CopyDim> merged(std::vector<CopyDim> dims) {
  std::erase_if(dims, [](const CopyDim& d) { return d.count == 1; });
  std::stable_sort(dims.begin(), dims.end(), [](const CopyDim& a, const CopyDim& b) { return a.to > b.to; });
  std::vector<CopyDim> all;
  for (const CopyDim& d : dims) {
    if (!all.empty() && all.back().to == d.to * d.count && all.back().from == d.from * d.count)
      all.back() = {all.back().count * d.count, d.to, d.from};
    else
      all.push_back(d);
  }
  return all;
}

// One element that fills a run fills rows of it instead, as long as divide it.
std::vector<CopyDim> in_rows(std::vector<CopyDim> dims) {
  const CopyDim last = dims.empty() ? CopyDim{} : dims.back();
  if (last.from != 0 || last.to != 1 || last.count < kFill) return dims;
  std::int64_t columns = kFill;
  while (last.count % columns != 0) --columns;
  if (columns < kLeastPlane) return dims;
  dims.back() = {last.count / columns, columns, 0};
  dims.push_back({columns, 1, 0});
  return dims;
}

class CopyEmitter {
 public:
  CopyEmitter(Emission& emission, const StridedCopy& copy)
      : emission_(emission), copy_(copy), dims_(in_rows(merged(copy.dims))) {}

  void emit() {
    if (dims_.empty()) dims_.push_back({});
    const CopyDim inner = dims_.back();
    const auto plane = std::find_if(dims_.begin(), dims_.end() - 1,
                                    [&](const CopyDim& d) { return d.from == 1 && d.count >= kLeastPlane; });
    const std::size_t size = isa::size_of(view(copy_.to).dtype);
    if (inner.from != 1 && inner.to == 1 && inner.count >= kLeastPlane && plane != dims_.end() - 1 &&
        (size == 2 || size == 4))
      return emit_planes(static_cast<std::size_t>(plane - dims_.begin()));
    if (const std::size_t inside = spaced_dims(); inside > 0) return emit_spaced(inside);
    // A column must not run backwards, so such a dimension becomes rows of one element.
    if (inner.from < 0) dims_.push_back({});
    emit_moves();
  }

 private:
  HbmView view(const CopyEnd& end) const { return emission_.matrix(end.slot, 1, 1); }

  // Calls f with the offsets of both sides for every index of the dimensions but the chosen ones.
  template <class F>
  void for_others(const std::vector<std::size_t>& chosen, F&& f) {
    std::vector<CopyDim> others;
    for (std::size_t d = 0; d < dims_.size(); ++d)
      if (std::find(chosen.begin(), chosen.end(), d) == chosen.end()) others.push_back(dims_[d]);
    Dims counts;
    for (const CopyDim& d : others) counts.push_back(d.count);
    for_each_index(counts, [&](const Dims& index, std::size_t) {
      std::int64_t to = copy_.to.offset, from = copy_.from.offset;
      for (std::size_t d = 0; d < others.size(); ++d) {
        to += index[d] * others[d].to;
        from += index[d] * others[d].from;
      }
      f(to, from);
    });
  }

  static HbmView at(HbmView window, std::int64_t element) {
    window.offset = static_cast<std::uint64_t>(element) * isa::size_of(window.dtype);
    return window;
  }

  void emit_moves() {
    std::vector<std::size_t> chosen;
    for (std::size_t d = dims_.size() > 4 ? dims_.size() - 4 : 0; d < dims_.size(); ++d) chosen.push_back(d);
    const auto side = [&](const CopyEnd& end, std::int64_t CopyDim::*stride) {
      HbmView window = view(end);
      const auto dim = [&](std::size_t from_end) -> CopyDim {
        return from_end < chosen.size() ? dims_[dims_.size() - 1 - from_end] : CopyDim{};
      };
      window.columns = static_cast<std::uint64_t>(dim(0).count);
      window.column_stride = dim(0).count > 1 ? dim(0).*stride : 1;
      window.rows = static_cast<std::uint64_t>(dim(1).count);
      window.row_stride = dim(1).*stride;
      window.repeats = {{{static_cast<std::uint64_t>(dim(3).count), dim(3).*stride},
                         {static_cast<std::uint64_t>(dim(2).count), dim(2).*stride}}};
      return window;
    };
    const HbmView to = side(copy_.to, &CopyDim::to), from = side(copy_.from, &CopyDim::from);
    for_others(chosen, [&](std::int64_t to_offset, std::int64_t from_offset) {
      emission_.kernel.move(at(to, to_offset), at(from, from_offset),
                            moved_++ % 2 == 0 ? isa::Queue::kSync : isa::Queue::kGpSimd);
    });
  }

  void emit_planes(std::size_t plane) {
    const CopyDim across = dims_[plane], inner = dims_.back();
    HbmView x = view(copy_.from), y = view(copy_.to);
    const auto size = static_cast<unsigned>(isa::size_of(x.dtype));
    x.dtype = y.dtype = carrier(size);
    x.rows = y.columns = static_cast<std::uint64_t>(inner.count);
    x.columns = y.rows = static_cast<std::uint64_t>(across.count);
    x.row_stride = inner.from;
    y.row_stride = across.to;
    const bool large = std::min(inner.count, across.count) >= kTensorPlane;
    const TransposeShape shape{x.rows,    x.columns, 0,
                               x.columns, size,      large ? TransposeBy::kTensor : TransposeBy::kDma};
    for_others({plane, dims_.size() - 1}, [&](std::int64_t to, std::int64_t from) {
      const runtime::KernelMemory::Scope scope(emission_.kernel);
      emit_transpose(emission_.kernel, emission_.machine, shape, {at(x, from), at(y, to)});
    });
  }

  // Elements from the first to the last of some dimensions, on one side.
  static std::int64_t span(std::span<const CopyDim> dims, std::int64_t CopyDim::*stride) {
    std::int64_t elements = 1;
    for (const CopyDim& d : dims) elements += (d.count - 1) * d.*stride;
    return elements;
  }
  static std::int64_t count(std::span<const CopyDim> dims) {
    std::int64_t elements = 1;
    for (const CopyDim& d : dims) elements *= d.count;
    return elements;
  }

  // The number of innermost dimensions that the vector engine moves inside SBUF, because they have gaps or
  // repeat elements: DMA would move each element by itself. 0: none, or too many gaps.
  std::size_t spaced_dims() const {
    const isa::DType dtype = view(copy_.to).dtype;
    const bool exact = isa::is_float(dtype) || isa::size_of(dtype) <= 2;  // the engine computes in fp32
    const CopyDim inner = dims_.back();
    if (!exact || dims_.size() < 2 || (inner.to == 1 && inner.from == 1)) return 0;
    for (const std::size_t n : {std::size_t{2}, std::size_t{1}}) {
      if (n >= dims_.size() || (n == 2 && inner.from == 0 && dims_[dims_.size() - 2].from == 0)) continue;
      const std::span<const CopyDim> inside = std::span(dims_).last(n);
      if (std::any_of(inside.begin(), inside.end(), [](const CopyDim& d) { return d.from < 0 || d.to <= 0; }))
        continue;
      const CopyDim& row = dims_[dims_.size() - 1 - n];
      const std::int64_t elements = count(inside), to = span(inside, &CopyDim::to),
                         from = span(inside, &CopyDim::from);
      if (elements >= kLeastPlane && std::max(to, from) <= kMostSpan &&
          std::max(to, from) <= kMostGaps * elements && row.to >= to && row.from >= 0)
        return n;
    }
    return 0;
  }

  // A tile [rows, span] as the elements that a copy accesses.
  static runtime::TileView spaced(runtime::TileView tile, std::span<const CopyDim> inside,
                                  std::int64_t CopyDim::*stride) {
    constexpr std::size_t kInner = isa::kFreeDims - 1;
    for (std::size_t n = 0; n < inside.size(); ++n) {
      const CopyDim& d = inside[inside.size() - 1 - n];
      tile.shape.count[kInner - n] = static_cast<std::uint16_t>(d.count);
      tile.tile.stride[kInner - n] = static_cast<std::int16_t>(d.*stride);
    }
    return tile;
  }

  // Rows of both sides are in SBUF, one in a partition. If the copy leaves gaps, what they hold is kept.
  void emit_spaced(std::size_t n) {
    runtime::Kernel& kernel = emission_.kernel;
    const std::vector<CopyDim> inside(dims_.end() - static_cast<std::ptrdiff_t>(n), dims_.end());
    const CopyDim row = dims_[dims_.size() - 1 - n];
    const std::int64_t to_span = span(inside, &CopyDim::to), from_span = span(inside, &CopyDim::from);
    const bool gaps = to_span != count(inside);
    const auto height = static_cast<std::int64_t>(emission_.machine.chip.core.sbuf.partitions);
    const runtime::KernelMemory::Scope scope(kernel);
    const runtime::Pool xs = kernel.sbuf("from", view(copy_.from).dtype, static_cast<unsigned>(from_span), 2),
                        ys = kernel.sbuf("to", view(copy_.to).dtype, static_cast<unsigned>(to_span), 2);
    std::vector<std::size_t> chosen;
    for (std::size_t d = dims_.size() - 1 - n; d < dims_.size(); ++d) chosen.push_back(d);
    for_others(chosen, [&](std::int64_t to, std::int64_t from) {
      for (std::int64_t first = 0; first < row.count; first += height) {
        const std::int64_t rows = std::min(height, row.count - first);
        const auto window = [&](const CopyEnd& end, std::int64_t offset, std::int64_t stride,
                                std::int64_t columns) {
          HbmView of = at(view(end), offset + first * stride);
          of.rows = static_cast<std::uint64_t>(rows);
          of.columns = static_cast<std::uint64_t>(columns);
          of.row_stride = stride;
          return of;
        };
        const runtime::TileView x = kernel.take(xs, static_cast<unsigned>(rows),
                                                static_cast<unsigned>(from_span)),
                                y = kernel.take(ys, static_cast<unsigned>(rows),
                                                static_cast<unsigned>(to_span));
        kernel.load(x, window(copy_.from, from, row.from, from_span));
        const HbmView out = window(copy_.to, to, row.to, to_span);
        if (gaps) kernel.load(y, out);
        kernel.copy(spaced(y, inside, &CopyDim::to), spaced(x, inside, &CopyDim::from));
        kernel.store(out, y, isa::Queue::kGpSimd);
      }
    });
  }

  Emission& emission_;
  const StridedCopy& copy_;
  std::vector<CopyDim> dims_;
  std::size_t moved_ = 0;
};

}  // namespace

std::uint64_t StridedCopy::elements() const {
  std::uint64_t count = 1;
  for (const CopyDim& d : dims) count *= static_cast<std::uint64_t>(d.count);
  return count;
}

void add_copies(Lowering& lowering, std::vector<StridedCopy> copies) {
  std::uint64_t elements = 0;
  for (const StridedCopy& copy : copies) elements += copy.elements();
  if (elements == 0) return;
  Step step;
  step.kernel = "copy";
  step.engine = StepEngine::kDma;
  step.dtype = lowering.slots().at(copies.front().to.slot).dtype;
  step.bytes = 2.0 * static_cast<double>(elements * isa::size_of(step.dtype));
  step.tiles = fmt::format("{} elements in {} pieces", elements, copies.size());
  step.emit = [copies = std::move(copies)](Emission& emission) {
    for (const StridedCopy& copy : copies)
      if (copy.elements() > 0) CopyEmitter(emission, copy).emit();
  };
  lowering.add(std::move(step));
}

void add_permute(Lowering& lowering, const TensorRef& to, const TensorRef& from,
                 const std::vector<std::size_t>& order) {
  StridedCopy copy{{to.slot, 0}, {from.slot, 0}, {}};
  const std::vector<std::int64_t> of_to = row_major_strides(to.dims), of_from = row_major_strides(from.dims);
  for (std::size_t d = 0; d < order.size(); ++d)
    copy.dims.push_back({to.dims[d], of_to[d], of_from[order[d]]});
  add_copies(lowering, {copy});
}

}  // namespace tahoma::workloads::graph
