// SPDX-License-Identifier: Apache-2.0
// The random number generators of the vector engine and GpSimd: one per lane, six words of state.
//
// AWS publishes the name of the algorithm (xorwow) and the size of GpSimd's state; the recurrence here is
// that of Marsaglia's xorwow, "Xorshift RNGs", 2003 (that the silicon uses it, and its word order, are
// assumed). How a seed is expanded and the states at the start of a program are not published either; Tahoma
// defines its own.
//
// Not modelled: the vector engine's state of 24 words per lane, which programs cannot access on
// NeuronCore-v3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/core/instruction.h"

namespace tahoma::isa {

// x, y, z, w, v of the linear part, then the counter d. Any words are a legal state; if x to v are all zero,
// the linear part stays constant and only the counter changes.
using GeneratorState = std::array<std::uint32_t, 6>;
inline constexpr std::size_t kGenerators = kMostPartitions;  // lanes of an engine
using Generators = std::array<GeneratorState, kGenerators>;

// Advances the state by one step and returns its 32 random bits. Period: 2^192 - 2^32.
std::uint32_t next_random(GeneratorState& state);

// Returns the states for a seed. Lane l takes three outputs of SplitMix64 (Steele, Lea, Flood, 2014) started
// at seed * 2^32 + l, low half first. The states of different seeds or lanes never coincide, and the linear
// part is never zero, because SplitMix64 never repeats a number within its period.
Generators seeded_generators(std::uint32_t seed);

// The states at the start of every program: as after a rand_seed of 0, so that runs are repeatable.
inline const Generators& initial_generators() {
  static const Generators all = seeded_generators(0);
  return all;
}

}  // namespace tahoma::isa
