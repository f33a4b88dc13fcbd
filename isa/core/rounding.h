// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding: a value between two adjacent numbers of the destination's dtype rounds up with a
// probability equal to its distance from the lower one, in units of the step between them.
//
// It applies when an element-wise engine narrows fp32 to tf32, bf16, fp16 or an fp8. It never applies to fp32
// or integer destinations, in the tensor engine, to fp32 in PSUM or in a DMA transfer: those round to
// nearest, ties to even (isa/core/dtype.h).
//
// The rule applies to magnitudes, so it is symmetric about zero. Random bits are added below the last kept
// mantissa bit and the sum is truncated. For numbers in the dtype's normal range, as many bits are added as
// are dropped (23 minus the dtype's mantissa bits), so the probability is exact. Below them, where the step
// no longer shrinks with the value, the fraction of a step is cut to 31 bits and 31 random ones are added:
// the probability is exact to 2^-31, and a fraction smaller than 2^-31 of a step becomes zero.
//   exact values   never change
//   overflow       like the magnitude that results: from the largest finite number to 2^(emax + 1) either
//                  that number or infinity, from there on infinity
//   NaN, infinity  as in isa/core/dtype.h; no random bits
//
// The bits are a function of (key, position) alone, so the same key gives the same results on every host and
// with every vector length. The hardware's generator is not published; this one is assumed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/core/dtype.h"

namespace tahoma::isa {

// A bijection of 32-bit words in which each input bit flips about half of the output bits: two rounds of
// multiplication by an odd number and a xor-shift (shifts and multipliers: MurmurHash3's finaliser,
// public domain).
constexpr std::uint32_t mix32(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85EBCA6BU;
  x = (x ^ (x >> 13)) * 0xC2B2AE35U;
  return x ^ (x >> 16);
}

// A stream of 32-bit words and the position in it. Each stochastically rounded element consumes the next
// word, whether it needs it or not; elements stored as fp32 or as integers consume none. Elements count in
// the order in which the instruction stores them: ascending index, partitions outermost. The position wraps
// after 2^32 elements.
struct Rounding {
  std::uint32_t key = 0;
  std::uint32_t position = 0;

  // This value is constant over a row. Each element only computes mix32(mix32(position) + stream()).
  std::uint32_t stream() const { return mix32(key + 0x9E3779B9U); }  // 2^32 / golden ratio: no fixed point
  std::uint32_t next() { return mix32(mix32(position++) + stream()); }
};

// Returns whether a Rounding changes values stored as this dtype.
bool rounds_stochastically(DType dtype);

// Stores one element, rounded with the next word of the stream. With a null `rounding` or a dtype that does
// not round stochastically this is store_from_fp32.
void store_rounded(std::byte* at, DType dtype, float value, Rounding* rounding);

}  // namespace tahoma::isa
