// SPDX-License-Identifier: Apache-2.0
// The bytes of an access in comparable form: partitions x a lattice of equal runs of bytes. The overlap test
// is exact, so interleaved strided accesses do not conflict.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "isa/table/access.h"

namespace tahoma::model::check {

// Runs of `run` bytes at begin + sum(i_d * stride[d]), the widest stride first. Broadcasts and the order of
// the pattern's dimensions are removed. Contiguous runs are merged, so a box has no dimensions.
struct Footprint {
  static constexpr std::size_t kMostDims = isa::kFreeDims;
  std::uint64_t begin = 0, end = 0;  // the box: lowest byte, one past the highest
  std::uint64_t run = 0;
  std::uint16_t partition = 0, partitions = 1;
  std::uint8_t dims = 0;
  std::array<std::uint32_t, kMostDims> count{};
  std::array<std::uint64_t, kMostDims> stride{};
  Footprint() = default;
  explicit Footprint(const isa::Pattern& pattern);
  friend bool operator==(const Footprint&, const Footprint&) = default;

  bool is_box() const { return dims == 0; }
  bool boxes_meet(const Footprint& o) const {
    return begin < o.end && o.begin < end && partition < o.partition + o.partitions &&
           o.partition < partition + partitions;
  }
  // Returns whether this contains every byte of `o`, as far as boxes and equal lattices can tell.
  bool contains(const Footprint& o) const {
    if (!is_box()) return *this == o;
    return begin <= o.begin && o.end <= end && partition <= o.partition &&
           o.partition + o.partitions <= partition + partitions;
  }

  // Calls f(first byte, one past the last) for every run, ascending in each dimension.
  template <class F>
  void for_each_run(F&& f) const {
    std::array<std::uint32_t, kMostDims> index{};
    std::uint64_t at = begin;
    while (true) {
      f(at, at + run);
      std::size_t d = dims;
      while (d > 0 && ++index[d - 1] == count[d - 1]) {
        at -= stride[d - 1] * (count[d - 1] - 1);
        index[--d] = 0;
      }
      if (d == 0) return;
      at += stride[d - 1];
    }
  }
};

inline Footprint footprint_of(const isa::Pattern& pattern) { return Footprint(pattern); }

// Returns whether they share a byte. The test is exact.
bool overlap(const Footprint& a, const Footprint& b);

// "sbuf partitions 0..127, bytes 0x0..0x7ff", "hbm chip 3 stack 1, bytes 0x40..0x7f"; both ends included.
std::string text_of(isa::Space space, const Footprint& footprint);
// Returns the intersection of both boxes.
Footprint common_box(const Footprint& a, const Footprint& b);

}  // namespace tahoma::model::check
