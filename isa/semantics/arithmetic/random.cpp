// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/random.h"

#include "isa/core/mixing.h"

namespace tahoma::isa {

std::uint32_t next_random(GeneratorState& state) {
  auto& [x, y, z, w, v, d] = state;
  const std::uint32_t t = x ^ (x >> 2);
  x = y;
  y = z;
  z = w;
  w = v;
  v = (v ^ (v << 4)) ^ (t ^ (t << 1));
  d += 362437U;
  return d + v;
}

Generators seeded_generators(std::uint32_t seed) {
  Generators all;
  for (std::size_t lane = 0; lane < all.size(); ++lane) {
    std::uint64_t counter = (std::uint64_t{seed} << 32) + lane;
    for (std::size_t word = 0; word < all[lane].size(); word += 2) {
      const std::uint64_t bits = mixed(counter += kMixingStep);
      all[lane][word] = static_cast<std::uint32_t>(bits);
      all[lane][word + 1] = static_cast<std::uint32_t>(bits >> 32);
    }
  }
  return all;
}

}  // namespace tahoma::isa
