// SPDX-License-Identifier: Apache-2.0
// One partition of a tile as a sequence of elements, in ascending index order (the innermost dimension
// fastest), whatever its strides: for instructions that must see a partition as a whole. They read all that
// they need before they write, so that a destination may be their source.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "isa/semantics/arithmetic/walk.h"

namespace tahoma::isa {

using FreeCounts = std::array<std::uint16_t, kFreeDims>;
constexpr FreeCounts in_a_row(std::size_t n) { return {1, 1, 1, static_cast<std::uint16_t>(n)}; }

class PartitionRow {
 public:
  // `partition` counts from the tile's first.
  PartitionRow(const Operand& tile, const FreeCounts& count, std::size_t partition);

  // As fp32, by isa/core/dtype.h; rounded as the core says. The vectors are resized.
  void load(std::vector<float>& values) const;
  void store(const float* values, const CoreView& core) const;

  // Bit by bit: each element in the low bits of a word, zeros above; the low bits of a word.
  void read(std::vector<std::uint32_t>& bits) const;
  void write(const std::uint32_t* bits) const;

 private:
  Walk<1> walk_;
};

}  // namespace tahoma::isa
