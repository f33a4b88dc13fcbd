// SPDX-License-Identifier: Apache-2.0
// The random number generators of the vector engine and GpSimd: one per lane, six words of state.
//
// AWS publishes the name of the algorithm (xorwow) and the size of GpSimd's state; the recurrence here is
// that of Marsaglia's xorwow, "Xorshift RNGs", 2003 (assumed to be the silicon's; its words' order too). How
// a seed becomes states, and the states at the start of a program, are not published either: ours.
//
// Left out: the vector engine's state of 24 words per lane, which NeuronCore-v3 does not let a program see.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tahoma::isa {

// x, y, z, w, v of the linear part, then the counter d. Any words are a legal state; with x to v all zero the
// linear part stands still and only the counter moves.
using GeneratorState = std::array<std::uint32_t, 6>;
inline constexpr std::size_t kGenerators = 128;  // lanes of an engine
using Generators = std::array<GeneratorState, kGenerators>;

// Moves the state on by one step and gives its 32 random bits. Period: 2^192 - 2^32.
std::uint32_t next_random(GeneratorState& state);

// The states that a seed stands for. Lane l takes three outputs of SplitMix64 (Steele, Lea, Flood, 2014)
// begun at seed * 2^32 + l, low half first. Those of different seeds or lanes never coincide, and the linear
// part is never zero, since SplitMix64 gives no number twice in its period.
Generators seeded_generators(std::uint32_t seed);

// How every program finds them: as after a rand_seed of 0, so that runs repeat.
inline Generators initial_generators() { return seeded_generators(0); }

}  // namespace tahoma::isa
