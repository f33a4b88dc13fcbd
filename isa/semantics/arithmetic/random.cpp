// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/random.h"

namespace tahoma::isa {
namespace {

std::uint64_t split_mix(std::uint64_t& counter) {
  counter += 0x9E3779B97F4A7C15U;
  std::uint64_t z = counter;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace

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
      const std::uint64_t bits = split_mix(counter);
      all[lane][word] = static_cast<std::uint32_t>(bits);
      all[lane][word + 1] = static_cast<std::uint32_t>(bits >> 32);
    }
  }
  return all;
}

}  // namespace tahoma::isa
