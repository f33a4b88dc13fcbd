// SPDX-License-Identifier: Apache-2.0
// What each instruction does to tiles: pure functions on views of a core's memories. Knows nothing of time.
//
// The tensor engine (where operands stand in the array: isa/semantics/arithmetic/array_tiles.h). Declared order: a pass sums the
// contraction in ascending k from +0 with one rounding per fused multiply-add in fp32; the sum of the pass is
// then added to PSUM with one rounding (the first pass overwrites if the matmul does not accumulate). 16-bit,
// fp8 and tf32 operands widen exactly. Results are the same bits on every host; a NaN is 0x7fc00000.
//   load_weights    the array holds src0, [K partitions x M free elements]
//   matmul          dst[m][n] (+)= sum over k of weight[k][m] * src0[k][n]
//     double_row    both operands have two slices per partition; K = 2 * partitions, k = 2p + slice, one pass
//     sparse M:N    k runs over the kept weights, one per partition and column, in ascending p; each meets
//     the
//                   element N * (p / M) + tag of the moving operand, counted as partition * slices + slice;
//                   weights that were left out take no part (not even 0 * inf)
//     fp32          four passes over halves of 12 bits, in the order low * low, high * low, low * high,
//                   high * high (weights first). high = x with its low 12 bits cleared, low = the exact rest;
//                   below 2^-137, where nothing else is left, high = x. Products of halves are exact, so the
//                   result is within (K + 4) * 2^-24 * (|dst| + sum |w x|) of the exact one: as good as a
//                   chain of fp32. What is not finite has low = +0 and is +0 in the two mixed passes: then
//                   inf * x is inf and inf * 0 NaN, as IEEE 754 has it. (Passes and their number: documented;
//                   halves, order and the rule for infinities: assumed, nothing is published.)
//     onezero_*     fp32 in two passes: the operand of zeros and ones has no low half (other values lose it)
//     fp32 with tf32  two passes: tf32 has no low half
//   transpose       dst[m][n] = weight[k][m] for the last k with src0[k][n] != 0, +0 if there is none; with
//                   an identity as src0 it turns the weights on their side. A movement, no arithmetic: the
//                   bits pass unchanged, NaNs and infinities included, 8-bit types into uint16 with a high
//                   byte of zero. Into fp32, other floats widen as in tensor_copy
// `open` of a matmul says that its accumulation group goes on; it changes no value.
//
// The element-wise engines widen their inputs to fp32, round once at each operation (isa/simd/row_kernel.h, and
// isa/simd/activation_kernel.h for functions) and once more when the result is stored (to nearest, ties to even,
// or stochastically as isa/core/rounding.h says). The formulas stand in the rows of the table; what they leave
// open:
//   operands        `reverse` puts the right operand on the left; bypass, rsqrt, reciprocal and abs take
//                   the tensor, whichever side the scalar stands. Comparisons and logical operations give
//                   1 or 0
//   bit operations  of tensor_tensor, tensor_scalar and tensor_reduce take integers as the bits that they
//                   are, as wide as dst's elements: a narrower source is extended by zeros, a wider one
//                   cut off. Shifts fill with zeros, also from the left of a negative number; counts of
//                   the width or more leave 0. A constant is its integer part modulo 2^32 (0 if it is no
//                   number), a column the 32 bits that lie there. bypass beside a bit operation passes the
//                   bits on
//   exact integers  tensor_tensor on GpSimd, if all three tiles are int32 or uint32: each operand is the
//                   integer that it is, the result is exact modulo 2^32 and never saturated
//                   (isa/semantics/arithmetic/integer_alu.h: division, powers, comparisons). All else on GpSimd is fp32,
//                   tensor_scalar too, whose constants are fp32
//   tensor_copy     bits as they are between equal dtypes, else dst = convert(src0).
//                   tensor_copy_predicated moves bits only; its predicate is any nonzero integer
//   tensor_reduce   the result lies at index 0 of the reduced dimensions of dst. It begins with the first
//                   element: of one element the reduction is that element. negate changes its sign (never
//                   a NaN's), after arithmetic only
//   scans           tensor_tensor_scan and tensor_scalar_cumulative run along all free dimensions of a
//                   partition, outermost first
//   range_select    start + i, i counting the free elements in that order, is exact and then rounds once
//                   to fp32, in which it is compared. -3.4028235e38 becomes -inf in a dtype that does not
//                   reach it. What it keeps passes through fp32 unchanged, as in select_reduce
//   activation      the argument is one fused multiply-add, so with a bias of +0 an argument of -0 becomes
//                   +0
//   iota            exact in 64 bits, then saturated to an integer dtype, or rounded to fp32 and then to
//                   dst's dtype; affine_select compares that expression before any rounding
// Integer tiles lose what fp32 cannot hold in all others.
//
// Accumulators: one fp32 a lane of the engine; the lane of an element is the partition of dst in which it is
// written. tensor_scalar_reduce, select_reduce, range_select and activation_reduce fold their fp32 results,
// before these round to dst's dtype, over all free dimensions in ascending order:
//   reset_reduce    from 0 (add, subtract), 1 (mult), -inf (max) or +inf (min); so a sum of -0 alone is +0
//   reduce          from what the last instruction left
//   load_reduce     from init; as reset_reduce where an instruction has no init
//   reset           the accumulators become that neutral element and nothing is folded
//   idle            nothing is folded; the accumulators keep their values (undefined on silicon)
// The result column, if any, receives the accumulators as they then are. dst is written in every case; that
// of tensor_scalar_cumulative, which takes its elements from the accumulators, repeats them on reset and
// idle.
//
// Searches, statistics, movement between partitions, random numbers and GpSimd's own mean what their rows say
// (isa/table/table_search.h, isa/table/table_gpsimd.h). They take a tile's free elements in ascending index order, the
// innermost dimension fastest, and read each partition before they write its results (movement: the whole
// tile; topk and the indices of local_gather: the group of 16).
//
// Memory: a destination may be its own source (same elements in the same order, same dtype). If operands
// overlap in any other way, or dst addresses an element twice, the result is repeatable but not architected.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/core/instruction.h"
#include "isa/core/rounding.h"
#include "isa/semantics/arithmetic/array_tiles.h"
#include "isa/semantics/arithmetic/random.h"
#include "isa/simd/matmul_kernel.h"

namespace tahoma::isa {

// A stationary operand that load_weights left in the array.
struct LoadedWeights {
  Standing standing;
  std::size_t k = 0;                    // weights per column: rows, or twice as many in double_row
  std::vector<std::byte> raw;           // [k][column], the bits that were loaded: what transpose moves
  std::vector<std::uint16_t> selected;  // sparse: [k][column], the element of the moving operand
  // As fp32, in the panels of isa/simd/matmul_kernel.h; made for the first matmul that needs them.
  Halves packed;
  std::vector<std::uint32_t> offsets;  // sparse: of the selected elements inside a panel, in the same layout
  bool is_packed = false;
};

// All of them; their tiles do not overlap.
struct Weights {
  ArraySize array;
  std::vector<LoadedWeights> loaded;
};

// What an element-wise engine keeps from instruction to instruction, per lane.
struct LaneState {
  static constexpr std::size_t kLanes = kGenerators;
  std::array<float, kLanes> accumulator{};
  Generators generator = initial_generators();  // of random numbers
};

// One core's on-chip memories as host bytes: partition p of SBUF starts at sbuf + p * sbuf_stride.
struct CoreView {
  std::byte* sbuf = nullptr;
  std::size_t sbuf_stride = 0;
  std::byte* psum = nullptr;
  std::size_t psum_stride = 0;
  Weights* weights = nullptr;  // of the tensor engine
  LaneState* lanes =
      nullptr;  // of the engine that executes; null: accumulators 0, generators as at the start
  Rounding* rounding = nullptr;  // of the element-wise engine that executes; null: to nearest, ties to even
  bool exact_integers = false;   // the engine computes 32-bit integers exactly (GpSimd)

  std::byte* at(Space space, unsigned partition, std::size_t offset) const {
    return space == Space::kPsum ? psum + partition * psum_stride + offset
                                 : sbuf + partition * sbuf_stride + offset;
  }
};

// Apply one compute instruction. DMA, semaphores, registers and control flow change no tile: nothing happens.
// Throws ProgramError E-ISA-401 when a matmul or transpose does not find just its weights in the array,
// E-ISA-402 when an index of a gather is out of range, and E-ISA-403 when a tag of sparse weights points
// beyond its group.
void execute(const Instruction& instruction, const CoreView& core);

// Apply one transfer: dst = src, converted through fp32 if the dtypes differ; or, if it accumulates, dst =
// dst + src in fp32, rounded once to dst's dtype. `hbm_dst`, `hbm_src`: host bytes at the base address of an
// HBM side (offset and register included); ignored for a side on chip.
void execute_dma(const Descriptor& descriptor, const CoreView& core, std::byte* hbm_dst,
                 const std::byte* hbm_src);

// Index i of dimension 0 on chip meets index `number` of dimension 0 in HBM.
struct IndirectRow {
  std::uint32_t index = 0, number = 0;
  friend bool operator==(const IndirectRow&, const IndirectRow&) = default;
};

// Apply a transfer whose dimension 0 of the HBM side follows row numbers: execute_dma for each of `rows`, in
// their order. What is not in `rows` is left out. `hbm`: host bytes at the base address of the HBM side.
void execute_indirect(const Descriptor& descriptor, Indirection direction, std::span<const IndirectRow> rows,
                      const CoreView& core, std::byte* hbm);

// Apply a dma_compute: dst = src_0 op src_1 op ..., from source 0 on, with op add, max or min. In fp32 with
// one rounding per addition and a NaN that wins (isa/simd/row_kernel.h), then rounded once to dst's dtype; where
// dst and all sources have one integer dtype in exact integers instead, modulo 2^bits (isa/semantics/arithmetic/integer_alu.h), so
// that the order of a sum does not matter. One source is a copy (execute_dma). Every source is read before
// dst is written. `hbm_srcs`: per source, as in execute_dma.
void execute_dma_compute(std::span<const Descriptor> sources, AluOp op, const CoreView& core,
                         std::byte* hbm_dst, std::span<const std::byte* const> hbm_srcs);

}  // namespace tahoma::isa
