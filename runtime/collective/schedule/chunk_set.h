// SPDX-License-Identifier: Apache-2.0
// A set of chunk numbers in up to three strided levels: with ranks numbered over the axes of a torus, "all
// chunks whose owner has coordinate 2 on axis y" is one set, whatever the order of the axes.
#pragma once

#include <array>
#include <cstdint>

namespace tahoma::runtime::collective {

struct ChunkSet {
  struct Level {
    std::uint32_t count = 1, stride = 0;
    friend bool operator==(const Level&, const Level&) = default;
  };
  std::uint32_t first = 0;
  std::array<Level, 3> levels{};  // outermost first; unused levels come first

  static ChunkSet one(std::uint32_t chunk) { return {chunk, {}}; }
  static ChunkSet run(std::uint32_t first, std::uint32_t count, std::uint32_t stride = 1) {
    ChunkSet set{first, {}};
    if (count > 1) set.levels[2] = {count, stride};
    return set;
  }

  std::uint32_t size() const { return levels[0].count * levels[1].count * levels[2].count; }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t a = 0; a < levels[0].count; ++a)
      for (std::uint32_t b = 0; b < levels[1].count; ++b)
        for (std::uint32_t c = 0; c < levels[2].count; ++c)
          visit(first + a * levels[0].stride + b * levels[1].stride + c * levels[2].stride);
  }
  friend bool operator==(const ChunkSet&, const ChunkSet&) = default;
};

}  // namespace tahoma::runtime::collective
