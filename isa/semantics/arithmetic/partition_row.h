// SPDX-License-Identifier: Apache-2.0
// One partition of a tile as a sequence of elements, in ascending index order (the innermost dimension
// fastest), whatever its strides. It serves instructions that need a whole partition at once. They read
// everything before they write, so a destination may be their source.
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
  // `partition` is relative to the tile's first partition.
  PartitionRow(const Operand& tile, const FreeCounts& count, std::size_t partition);

  // Converts to fp32 by isa/core/dtype.h and rounds stores as the core specifies. The vectors are resized.
  void load(std::vector<float>& values) const;
  void store(const float* values, const CoreView& core) const;

  // Copies bit by bit: a read puts each element in the low bits of a word and zeros above; a write
  // takes the low bits.
  void read(std::vector<std::uint32_t>& bits) const;
  void write(const std::uint32_t* bits) const;

 private:
  Walk<1> walk_;
};

}  // namespace tahoma::isa
