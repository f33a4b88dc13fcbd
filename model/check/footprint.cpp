// SPDX-License-Identifier: Apache-2.0
#include "model/check/footprint.h"

#include <fmt/format.h>

#include "isa/core/program.h"
#include "isa/table/table_names.h"

namespace tahoma::model::check {
namespace {

struct Dimension {
  std::uint64_t stride = 0;
  std::uint32_t count = 1;
};

// The remainder of a footprint after its first dimensions: a lattice from byte 0.
struct Lattice {
  const Footprint* of;
  std::size_t dim;       // first remaining dimension
  std::uint64_t extent;  // bytes from the first to one past the last

  bool is_run() const { return dim == of->dims; }
  std::uint64_t stride() const { return of->stride[dim]; }
  std::uint32_t count() const { return of->count[dim]; }
  Lattice inner() const { return {of, dim + 1, extent - stride() * (count() - 1)}; }
};

Lattice whole(const Footprint& f) { return {&f, 0, f.end - f.begin}; }

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

bool intersect(const Lattice& a, const Lattice& b, std::int64_t delta);

// Tests the indices k of a's widest dimension whose part intersects the box [delta, delta + b.extent).
bool intersect_split(const Lattice& a, const Lattice& b, std::int64_t delta) {
  const Lattice part = a.inner();
  const auto stride = static_cast<std::int64_t>(a.stride());
  const auto first = floor_div(delta - static_cast<std::int64_t>(part.extent), stride) + 1;
  const auto last = floor_div(delta + static_cast<std::int64_t>(b.extent) - 1, stride);
  for (std::int64_t k = std::max<std::int64_t>(first, 0); k <= std::min<std::int64_t>(last, a.count() - 1);
       ++k)
    if (intersect(part, b, delta - k * stride)) return true;
  return false;
}

// For equal widest strides only the difference of the two indices matters.
bool intersect_alike(const Lattice& a, const Lattice& b, std::int64_t delta) {
  const Lattice pa = a.inner(), pb = b.inner();
  const auto stride = static_cast<std::int64_t>(a.stride());
  const auto first = floor_div(delta - static_cast<std::int64_t>(pa.extent), stride) + 1;
  const auto last = floor_div(delta + static_cast<std::int64_t>(pb.extent) - 1, stride);
  const std::int64_t lowest = 1 - std::int64_t{b.count()}, highest = std::int64_t{a.count()} - 1;
  for (std::int64_t k = std::max(first, lowest); k <= std::min(last, highest); ++k)
    if (intersect(pa, pb, delta - k * stride)) return true;
  return false;
}

// Returns whether a, from byte 0, shares a byte with b, from byte delta.
bool intersect(const Lattice& a, const Lattice& b, std::int64_t delta) {
  if (delta >= static_cast<std::int64_t>(a.extent) || -delta >= static_cast<std::int64_t>(b.extent))
    return false;
  if (a.is_run() && b.is_run()) return true;
  if (!a.is_run() && !b.is_run() && a.stride() == b.stride()) return intersect_alike(a, b, delta);
  if (b.is_run() || (!a.is_run() && a.stride() > b.stride())) return intersect_split(a, b, delta);
  return intersect_split(b, a, -delta);
}

// Collects the dimensions that advance, in ascending order of stride, and moves `base` to the lowest byte.
std::size_t collect(const isa::Pattern& p, std::array<Dimension, isa::kFreeDims>& list, std::uint64_t& base) {
  std::size_t n = 0;
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    if (p.count[d] <= 1 || p.stride[d] == 0) continue;
    if (p.stride[d] < 0) base -= static_cast<std::uint64_t>(-p.stride[d]) * (p.count[d] - 1);
    const Dimension next{static_cast<std::uint64_t>(p.stride[d] < 0 ? -p.stride[d] : p.stride[d]),
                         p.count[d]};
    std::size_t at = n++;
    for (; at > 0 && list[at - 1].stride > next.stride; --at) list[at] = list[at - 1];
    list[at] = next;
  }
  return n;
}

}  // namespace

Footprint::Footprint(const isa::Pattern& p)
    : begin(p.offset), run(p.element), partition(p.partition), partitions(p.partitions) {
  std::array<Dimension, isa::kFreeDims> list;
  const std::size_t n = collect(p, list, begin);
  std::size_t left = 0;  // list[0..left) do not join the run
  for (std::size_t d = 0; d < n; ++d) {
    if (left == 0 && list[d].stride <= run)
      run += list[d].stride * (list[d].count - 1);
    else if (left > 0 && list[d].stride == list[left - 1].stride * list[left - 1].count)
      list[left - 1].count *= list[d].count;
    else
      list[left++] = list[d];
  }
  dims = static_cast<std::uint8_t>(left);
  end = begin + run;
  for (std::size_t d = 0; d < left; ++d) {
    stride[left - 1 - d] = list[d].stride;
    count[left - 1 - d] = list[d].count;
    end += list[d].stride * (list[d].count - 1);
  }
}

bool overlap(const Footprint& a, const Footprint& b) {
  if (!a.boxes_meet(b)) return false;
  if (a.is_box() && b.is_box()) return true;
  return intersect(whole(a), whole(b), static_cast<std::int64_t>(b.begin - a.begin));
}

std::string text_of(isa::Space space, const Footprint& f) {
  if (space != isa::Space::kHbm)
    return fmt::format("{} partitions {}..{}, bytes {:#x}..{:#x}", isa::name_of(space), f.partition,
                       f.partition + f.partitions - 1, f.begin, f.end - 1);
  const auto at = isa::GlobalAddress::from(f.begin);
  return fmt::format("hbm chip {} stack {}, bytes {:#x}..{:#x}", at.chip, at.stack, at.offset,
                     at.offset + (f.end - f.begin) - 1);
}

Footprint common_box(const Footprint& a, const Footprint& b) {
  Footprint f;
  f.begin = std::max(a.begin, b.begin);
  f.end = std::min(a.end, b.end);
  f.run = f.end - f.begin;
  f.partition = std::max(a.partition, b.partition);
  f.partitions = static_cast<std::uint16_t>(std::min(a.partition + a.partitions, b.partition + b.partitions) -
                                            f.partition);
  return f;
}

}  // namespace tahoma::model::check
