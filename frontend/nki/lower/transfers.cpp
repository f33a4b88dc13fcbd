// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace tahoma::runtime::nki {

namespace {

constexpr std::uint32_t kTransposedRows = 16;  // isa::validate

// One side on the way to a descriptor: its axes have the counts that all sides have.
struct Walk {
  const Side* side = nullptr;
  const Storage* storage = nullptr;
  std::int64_t partition = 0, offset = 0;  // bytes
  Axes axes;

  std::size_t partition_axes() const {
    return static_cast<std::size_t>(
        std::count_if(axes.begin(), axes.end(), [](const Axis& a) { return a.partition; }));
  }
  bool steps_over_partitions() const {
    return std::any_of(axes.begin(), axes.end(), [](const Axis& a) { return a.partition && a.stride != 1; });
  }
};

bool fits(const Walk& walk) {
  if (walk.axes.size() > isa::kFreeDims) return false;
  for (const Axis& a : walk.axes)
    if (a.count > std::numeric_limits<std::int32_t>::max() ||
        (!a.partition && (a.stride > INT32_MAX || a.stride < INT32_MIN)))
      return false;
  if (!walk.storage->on_chip()) return true;
  if (walk.partition_axes() > 1 || walk.steps_over_partitions()) return false;
  // A side on one partition walks along a dimension of one element.
  return walk.partition_axes() == 1 || walk.axes.size() < isa::kFreeDims;
}

// The outermost dimension that has to go: one of a side that needs it, else the outermost.
std::size_t excess_axis(const std::vector<Walk>& walks) {
  for (const Walk& walk : walks)
    if (walk.storage->on_chip() && (walk.partition_axes() > 1 || walk.steps_over_partitions()))
      for (std::size_t d = 0; d < walk.axes.size(); ++d)
        if (walk.axes[d].partition) return d;
  return 0;
}

void step(Walk& walk, std::size_t axis, std::int64_t index) {
  const Axis& a = walk.axes[axis];
  if (a.partition)
    walk.partition += a.stride * index;
  else
    walk.offset += a.stride * index * static_cast<std::int64_t>(isa::size_of(walk.side->dtype));
}

// Partitions, or the rows of a transfer inside HBM, are dimension 0; the other dimensions lie innermost. (The
// convention of runtime::Kernel.)
class Slots {
 public:
  explicit Slots(const std::vector<Walk>& walks, bool leads = false)
      : axes_(walks.front().axes.size()), leads_(leads) {
    bool on_chip = false;
    for (const Walk& walk : walks) {
      on_chip = on_chip || walk.storage->on_chip();
      leads_ = leads_ || (!walk.axes.empty() && walk.axes.front().partition);
    }
    leads_ = leads_ || axes_ == isa::kFreeDims || (!on_chip && axes_ > 1);
  }
  std::size_t of(std::size_t axis) const { return axis == 0 && leads_ ? 0 : isa::kFreeDims - axes_ + axis; }

 private:
  std::size_t axes_;
  bool leads_;
};

isa::DmaSide dma_side(const Walk& walk, const Slots& slots) {
  isa::DmaSide side;
  side.space = !walk.storage->on_chip()                ? isa::Space::kHbm
               : walk.storage->buffer == Buffer::kPsum ? isa::Space::kPsum
                                                       : isa::Space::kSbuf;
  side.dtype = walk.side->dtype;
  side.offset = static_cast<std::uint64_t>(walk.offset);
  if (walk.storage->on_chip()) side.partition = static_cast<std::uint16_t>(walk.partition);
  bool walks_partitions = false;
  std::array<bool, isa::kFreeDims> taken{};
  for (std::size_t d = 0; d < walk.axes.size(); ++d) {
    const std::size_t slot = slots.of(d);
    taken[slot] = true;
    if (walk.axes[d].partition) {
      side.across = static_cast<std::uint8_t>(slot);
      walks_partitions = true;
    } else {
      side.stride[slot] = static_cast<std::int32_t>(walk.axes[d].stride);
    }
  }
  if (side.space != isa::Space::kHbm && !walks_partitions)
    side.across = static_cast<std::uint8_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
  return side;
}

Piece piece_of(const std::vector<Walk>& walks, bool leads = false) {
  Piece piece;
  const Slots slots(walks, leads);
  const Axes& axes = walks.front().axes;
  for (std::size_t d = 0; d < axes.size(); ++d)
    piece.count[slots.of(d)] = static_cast<std::uint32_t>(axes[d].count);
  piece.dst = dma_side(walks.front(), slots);
  for (std::size_t s = 1; s < walks.size(); ++s) piece.sources.push_back(dma_side(walks[s], slots));
  return piece;
}

// The transposing path takes kTransposedRows source rows at a time, in dimension 0. The longest dimension
// becomes that one, because the order in which elements move does not change the result; rows in excess of a
// multiple move as a copy.
void add_transposing(std::vector<Walk> walks, std::vector<Piece>& pieces) {
  const Axes& axes = walks.front().axes;
  const auto longest = axes.size() < 2
                           ? axes.end()
                           : std::max_element(axes.begin(), axes.end() - 1,
                                              [](const Axis& a, const Axis& b) { return a.count < b.count; });
  if (longest == axes.end() || longest->count < kTransposedRows) {
    pieces.push_back(piece_of(walks));
    return;
  }
  const auto outer = longest - axes.begin();
  for (Walk& walk : walks)
    std::rotate(walk.axes.begin(), walk.axes.begin() + outer, walk.axes.begin() + outer + 1);
  std::vector<Walk> whole = walks, rest = walks;
  const std::int64_t excess = walks.front().axes.front().count % kTransposedRows;
  for (Walk& walk : whole) walk.axes.front().count -= excess;
  Piece piece = piece_of(whole, true);
  if (!can_transpose(piece)) {
    pieces.push_back(piece_of(walks));
    return;
  }
  pieces.push_back(std::move(piece));
  if (excess == 0) return;
  for (Walk& walk : rest) {
    step(walk, 0, walk.axes.front().count - excess);
    walk.axes.front().count = excess;
  }
  pieces.push_back(piece_of(rest));
}

void cut(std::vector<Walk> walks, bool transposing, std::vector<Piece>& pieces) {
  if (std::all_of(walks.begin(), walks.end(), fits)) {
    if (transposing)
      add_transposing(std::move(walks), pieces);
    else
      pieces.push_back(piece_of(walks));
    return;
  }
  const std::size_t axis = excess_axis(walks);
  const std::int64_t count = walks.front().axes[axis].count;
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<Walk> one = walks;
    for (Walk& walk : one) {
      step(walk, axis, i);
      walk.axes.erase(walk.axes.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    cut(std::move(one), transposing, pieces);
  }
}

Walk walk_of(const Side& side, const Trace& trace) {
  return {&side, trace.storages[side.storage].get(), side.partition, side.offset, side.axes};
}

std::vector<Walk> walks_of(const TransferWork& work, const Trace& trace) {
  std::vector<Walk> walks{walk_of(work.dst, trace)};
  for (const Side& side : work.sources) walks.push_back(walk_of(side, trace));
  return walks;
}

void join(std::vector<Walk>& walks) {
  std::vector<Axes> axes;
  for (const Walk& walk : walks) axes.push_back(walk.axes);
  const auto common = joint(axes);
  if (!common)
    refuse("E-NKI-011",
           "transfer: source and destination have different shapes, whose elements do not correspond "
           "dimension by "
           "dimension");
  for (std::size_t w = 0; w < walks.size(); ++w) walks[w].axes = (*common)[w];
}

}  // namespace

std::vector<Piece> pieces_of(const TransferWork& work, const Trace& trace) {
  std::vector<Walk> walks = walks_of(work, trace);
  join(walks);
  std::vector<Piece> pieces;
  cut(std::move(walks), work.kind == Transfer::kTranspose, pieces);
  return pieces;
}

std::vector<Piece> indirect_pieces(const TransferWork& work, const Trace& trace, bool gather) {
  std::vector<Walk> walks = walks_of(work, trace);
  Walk& hbm = gather ? walks.at(1) : walks.at(0);
  Walk& tile = gather ? walks.at(0) : walks.at(1);
  const Side& rows = *hbm.side;
  if (!tile.storage->on_chip() || tile.axes.empty() || !tile.axes.front().partition) {
    const bool one_row = tile.storage->on_chip();
    if (!one_row)
      refuse("E-NKI-022",
             "row numbers select rows of a tensor in HBM, for a tensor in SBUF; expected these sides");
    tile.axes.insert(tile.axes.begin(), {1, 1, true});
  }
  const Axis across = tile.axes.front();
  if (rows.dynamic.index->dims.front().count != across.count)
    refuse("E-NKI-022",
           fmt::format("row numbers: {} numbers for a tensor of {} partitions; expected one row for each "
                       "partition of the tensor in SBUF",
                       rows.dynamic.index->dims.front().count, across.count));
  // Dimension 0 is dropped, because the row numbers give its place in HBM.
  tile.axes.erase(tile.axes.begin());
  Axes inner(rows.axes);
  std::int64_t left = across.count;
  while (left > 1 && !inner.empty() && inner.front().count <= left && left % inner.front().count == 0) {
    left /= inner.front().count;
    inner.erase(inner.begin());
  }
  if (left > 1 && !inner.empty() && inner.front().count % left == 0) {
    inner.front().count /= left;
    left = 1;
  }
  if (left != 1)
    refuse("E-NKI-022", "row numbers: expected one row for each partition of the tensor in SBUF");
  hbm.axes = inner;
  join(walks);
  for (Walk& walk : walks) {
    const bool is_tile = &walk == &tile;
    walk.axes.insert(walk.axes.begin(), is_tile ? across : Axis{rows.dynamic.stride, across.count, false});
    if (walk.axes.size() > isa::kFreeDims)
      refuse("E-NKI-022",
             fmt::format("row numbers: rows of {} dimensions; expected at most 3", walk.axes.size() - 1));
  }
  return {piece_of(walks)};
}

bool can_transpose(const Piece& piece) {
  const isa::DmaSide& src = piece.sources.front();
  const std::size_t size = isa::size_of(src.dtype), inner = isa::kFreeDims - 1;
  const bool contiguous = piece.count[inner] == 1 ||
                          (src.stride[inner] == 1 && (src.space == isa::Space::kHbm || src.across != inner));
  return (size == 2 || size == 4) && src.dtype == piece.dst.dtype && piece.count[0] % kTransposedRows == 0 &&
         piece.count[inner] <= 128 && contiguous && piece.dst.space == isa::Space::kSbuf;
}

}  // namespace tahoma::runtime::nki
