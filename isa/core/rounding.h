// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding: a value between two neighbours of the destination's dtype goes up with a probability
// equal to its distance from the lower one, in steps.
//
// Where it applies: an element-wise engine narrows fp32 to tf32, bf16, fp16 or an fp8. Never to fp32 or to an
// integer, never in the tensor engine, in PSUM's fp32 or in a DMA transfer: those round to nearest, ties to
// even (isa/core/dtype.h).
//
// The rule, on magnitudes, so that it is symmetric about zero: random bits are added below the last kept
// mantissa bit and the sum is truncated. Among numbers that the dtype holds as normal ones, as many bits are
// added as are dropped (23 less the dtype's mantissa bits), so the probability is exact. Below them, where
// the step no longer shrinks with the value, the fraction of a step is cut to 31 bits and 31 random ones are
// added: the probability is exact to 2^-31, and what is smaller than 2^-31 of a step becomes zero.
//   exact values   never change
//   overflow       like the magnitude that results: from the largest finite number to 2^(emax + 1) either
//                  that number or infinity, from there on infinity
//   NaN, infinity  as in isa/core/dtype.h; no random bits
//
// The bits are a function of (key, position) alone, so the same key gives the same results on every host and
// with every vector length. The hardware's own generator is not published: assumed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/dtype.h"

namespace tahoma::isa {

// A bijection of 32-bit words in which every input bit flips about half of the output's: two rounds of
// multiplication by an odd number and a shift onto itself (shifts and numbers: MurmurHash3's finaliser,
// public domain).
constexpr std::uint32_t mix32(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85EBCA6BU;
  x = (x ^ (x >> 13)) * 0xC2B2AE35U;
  return x ^ (x >> 16);
}

// A stream of 32-bit words and the place in it. Each element that rounds stochastically takes the next word,
// needed or not; elements stored as fp32 or as integers take none. Elements are taken in the order in which
// the instruction stores them: ascending index, partitions outermost. The position wraps after 2^32 elements.
struct Rounding {
  std::uint32_t key = 0;
  std::uint32_t position = 0;

  // Constant over a row; what is left for each element is mix32(mix32(position) + stream()).
  std::uint32_t stream() const { return mix32(key + 0x9E3779B9U); }  // 2^32 / golden ratio: no fixed point
  std::uint32_t next() { return mix32(mix32(position++) + stream()); }
};

// Whether a Rounding changes what is stored as this dtype.
bool rounds_stochastically(DType dtype);

// One element, with the next word of the stream; a null `rounding`, or a dtype that does not round
// stochastically, means store_from_fp32.
void store_rounded(std::byte* at, DType dtype, float value, Rounding* rounding);

}  // namespace tahoma::isa
