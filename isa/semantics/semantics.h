// SPDX-License-Identifier: Apache-2.0
// Defines what each instruction does to tiles, as pure functions on views of a core's memories,
// independent of time.
//
// The tensor engine (isa/semantics/arithmetic/array_tiles.h defines the placement of operands in the array).
// Architected order: a pass sums the contraction in ascending k from +0 with one rounding per fused
// multiply-add in fp32; the sum of the pass is then added to PSUM with one rounding (the first pass
// overwrites if the matmul does not accumulate). 16-bit, fp8 and tf32 operands widen exactly. Results are the
// same bits on every host; a NaN is 0x7fc00000.
//   load_weights    the array holds src0, [K partitions x M free elements]
//   matmul          dst[m][n] (+)= sum over k of weight[k][m] * src0[k][n]
//     double_row    both operands have two slices per partition; K = 2 * partitions, k = 2p + slice, one pass
//     sparse M:N    k runs over the kept weights, one per partition and column, in ascending p; each meets
//                   the element N * (p / M) + tag of the moving operand, counted as partition * slices +
//                   slice; omitted weights contribute nothing (not even 0 * inf)
//     fp32          four passes over halves of 12 bits, in the order low * low, high * low, low * high,
//                   high * high (weights first). high = x with its low 12 bits cleared, low = the exact rest;
//                   below 2^-137, where nothing else is left, high = x. Products of halves are exact, so the
//                   result is within (K + 4) * 2^-24 * (|dst| + sum |w x|) of the exact one: as good as a
//                   chain of fp32. A number that is not finite has low = +0 and is +0 in the two mixed
//                   passes, so inf * x is inf and inf * 0 is NaN, as in IEEE 754. (Passes and their number:
//                   documented; halves, order and the rule for infinities: assumed, nothing is published.)
//     onezero_*     fp32 in two passes: the operand of zeros and ones has no low half (other values lose it)
//     fp32 with tf32  two passes: tf32 has no low half
//     MXFP8         (load_weights_mx, matmul_mx) k = 4p + s, one pass over numbers that are element * scale,
//                   which is exact in fp32; beyond its range a number is infinite, below it rounds to nearest
//                   (assumed)
//     bf16 dst      (NeuronCore-v4) dst widens, the sum of the pass is added in fp32 and the sum rounds to
//                   bf16
//   transpose       dst[m][n] = weight[k][m] for the last k with src0[k][n] != 0, +0 if there is none; with
//                   an identity as src0 it transposes the weights. This is data movement without arithmetic:
//                   the bits pass unchanged, NaNs and infinities included, 8-bit types into uint16 with a
//                   high byte of zero. Into fp32, other floats widen as in tensor_copy
// A matmul's `open` says that its accumulation group continues; it changes no value.
//
// The element-wise engines widen their inputs to fp32, round once at each operation (isa/simd/row_loop.h,
// and isa/simd/activation_loop.h for functions) and once more when the result is stored (to nearest, ties
// to even, or stochastically as isa/core/rounding.h says). The rows of the table state the formulas; the
// following rules complete them:
//   operands        `reverse` puts the right operand on the left; bypass, rsqrt, reciprocal and abs take the
//                   tensor, whichever side the scalar is on. Comparisons and logical operations give 1 or 0
//   bit operations  of tensor_tensor, tensor_scalar and tensor_reduce take the integers' bits at the width of
//                   dst's elements: a narrower source is zero-extended, a wider one truncated. Shifts fill
//                   with zeros, also from the left of a negative number; counts of the width or more give 0.
//                   A constant is its integer part modulo 2^32 (0 if it is not a number), a column its 32
//                   stored bits. bypass combined with a bit operation passes the bits unchanged
//   exact integers  tensor_tensor on GpSimd, if all three tiles are int32 or uint32: operands are exact
//                   integers, and the result is exact modulo 2^32 and never saturated
//                   (isa/semantics/arithmetic/integer_alu.h: division, powers, comparisons). Everything else
//                   on GpSimd is fp32, including tensor_scalar, whose constants are fp32
//   tensor_copy     bits unchanged between equal dtypes, else dst = convert(src0). tensor_copy_predicated
//                   moves bits only; its predicate is any nonzero integer
//   tensor_reduce   the result is at index 0 of the reduced dimensions of dst. The fold begins with the first
//                   element, so the reduction of one element is that element. negate changes its sign (never
//                   a NaN's), after arithmetic only
//   scans           tensor_tensor_scan and tensor_scalar_cumulative run along all free dimensions of a
//                   partition, outermost first
//   range_select    start + i, i counting the free elements in that order, is exact and then rounds once to
//                   fp32, in which it is compared. -3.4028235e38 becomes -inf in a dtype whose range is
//                   smaller. Kept elements pass through fp32 unchanged, as in select_reduce
//   activation      the argument is one fused multiply-add, so with a bias of +0 an argument of -0 becomes
//                   +0
//   iota            exact in 64 bits, then saturated to an integer dtype, or rounded to fp32 and then to
//                   dst's dtype; affine_select compares that expression before any rounding
// In all other instructions integer tiles lose what fp32 cannot hold.
//
// Accumulators: one fp32 per lane of the engine; the lane of an element is the partition of dst in which it
// is written. tensor_scalar_reduce, select_reduce, range_select and activation_reduce fold their fp32
// results, before these round to dst's dtype, over all free dimensions in ascending order:
//   reset_reduce    from 0 (add, subtract), 1 (mult), -inf (max) or +inf (min); so a sum of -0 alone is +0
//   reduce          from the values that the last instruction left
//   load_reduce     from init; as reset_reduce where an instruction has no init
//   reset           the accumulators become the neutral element and nothing is folded
//   idle            nothing is folded; the accumulators keep their values (undefined on silicon)
// The result column, if any, receives the final accumulators. dst is written in every case; that of
// tensor_scalar_cumulative, which takes its elements from the accumulators, repeats them on reset and idle.
//
// Searches, statistics, movement between partitions, random numbers and GpSimd's own instructions are defined
// in their rows (isa/table/table_search.h, isa/table/table_gpsimd.h). They take a tile's free elements in
// ascending index order, the innermost dimension fastest, and read each partition before they write its
// results (movement: the whole tile; topk and the indices of local_gather: the group of 16).
//
// Memory: a destination may be its own source (same elements in the same order, same dtype). If operands
// overlap in any other way, or dst addresses an element twice, the result is repeatable but not architected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "isa/core/instruction.h"
#include "isa/semantics/arithmetic/core_view.h"

namespace tahoma::isa {

// Apply one compute instruction. DMA, semaphore, register and control-flow instructions change no tile and
// have no effect here. Throws ProgramError E-ISA-401 when a matmul or transpose does not find exactly its
// weights in the array, E-ISA-402 when an index of a gather is out of range, and E-ISA-403 when a tag of
// sparse weights points beyond its group.
void execute(const Instruction& instruction, const CoreView& core);

// Apply one transfer: dst = src, converted through fp32 if the dtypes differ; or, if it accumulates, dst =
// dst + src in fp32, rounded once to dst's dtype. `hbm_dst`, `hbm_src`: host bytes at the base address of an
// HBM side (offset and register included); they are ignored for an on-chip side.
void execute_dma(const Descriptor& descriptor, const CoreView& core, std::byte* hbm_dst,
                 const std::byte* hbm_src);

// Index i of dimension 0 on chip corresponds to index `number` of dimension 0 in HBM.
struct IndirectRow {
  std::uint32_t index = 0, number = 0;
  friend bool operator==(const IndirectRow&, const IndirectRow&) = default;
};

// Apply a transfer whose HBM side takes its dimension 0 from row numbers: execute_dma for each of `rows`, in
// order. Rows that `rows` omits are skipped. `hbm`: host bytes at the base address of the HBM side.
void execute_indirect(const Descriptor& descriptor, Indirection direction, std::span<const IndirectRow> rows,
                      const CoreView& core, std::byte* hbm);

// Apply a dma_compute: dst = src_0 op src_1 op ..., starting from source 0, with op add, max or min. The
// arithmetic is fp32 with one rounding per addition and NaN-propagating max and min (isa/simd/row_loop.h);
// the result is rounded once to dst's dtype. If dst and all sources share one integer dtype, it is exact
// integer arithmetic modulo 2^bits instead (isa/semantics/arithmetic/integer_alu.h), so the order of a sum
// does not matter. A single source is a copy (execute_dma). Every source is read before dst is written.
// `hbm_srcs`: per source, as in execute_dma.
void execute_dma_compute(std::span<const Descriptor> sources, AluOp op, const CoreView& core,
                         std::byte* hbm_dst, std::span<const std::byte* const> hbm_srcs);

}  // namespace tahoma::isa
