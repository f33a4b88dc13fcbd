// SPDX-License-Identifier: Apache-2.0
// What each instruction does to tiles: pure functions on views of a core's memories. Knows nothing of time.
//
// Declared order of the tensor engine: a pass sums rows in ascending K from +0 with one rounding per fused
// multiply-add in fp32; the sum of the pass is then added to PSUM with one rounding. 16-bit operands widen
// exactly; fp32 operands take the same order. Results are the same bits on every host.
//   load_weights    the array holds src0, [K partitions x M free elements]
//   matmul          dst[m][n] (+)= sum over k of weight[k][m] * src0[k][n]
//   transpose       dst[m][n] = weight[k][m] for the last k with src0[k][n] != 0, +0 if there is none; with
//   an
//                   identity as src0 it turns the weights on their side. A movement, no arithmetic: between
//                   equal dtypes the bits pass unchanged, NaNs included; else they convert as in tensor_copy
//
// The element-wise engines widen their inputs to fp32, round once at each operation (isa/row_kernel.h, and
// isa/activation_kernel.h for functions) and once more when the result is stored (to nearest, ties to even,
// or stochastically as isa/rounding.h says):
//   tensor_copy     bits as they are between equal dtypes, else dst = convert(src0)
//   tensor_tensor   dst = src0 op0 src1
//   tensor_scalar   dst = (src0 op0 scalar0) op1 scalar1; reverse puts the scalar on the left; bypass ignores
//   it tensor_reduce   folds the `axes` innermost free dimensions with op0, beginning with the first element,
//   in
//                   ascending index order; the result lies at index 0 of the reduced dimensions of dst
//   activation      dst = fn(src0 * scalar0 + scalar1); the argument is one fused multiply-add, so with a
//   bias
//                   of +0 an argument of -0 becomes +0
//   activation_reduce  also writes, for each partition, the fp32 sum of the results before they round to
//   dst's
//                   dtype to src1: over all free dimensions, from the first element in ascending index order
//   reciprocal      dst = 1 / src0
//   memset          dst = value
//   iota            dst = base + channel_multiplier * p + sum(pattern[d] * i_d), exact in 64 bits, then
//                   saturated to an integer dtype, or rounded to fp32 and then to dst's dtype
//   affine_select   dst = (that expression) compare 0 ? src0 : value
// Integer tiles lose what fp32 cannot hold in all of these but tensor_copy and iota.
//
// Searches, statistics, movement between partitions, random numbers and GpSimd's own mean what their rows say
// (isa/table_search.h, isa/table_gpsimd.h). They take a tile's free elements in ascending index order, the
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

#include "isa/instruction.h"
#include "isa/random.h"
#include "isa/rounding.h"

namespace tahoma::isa {

// The stationary operand that load_weights leaves in the array: rows x columns.
struct Weights {
  unsigned rows = 0, columns = 0;
  DType dtype = DType::kBf16;
  std::vector<float> packed;   // as fp32, in the panels of isa/matmul_kernel.h: what matmul multiplies
  std::vector<std::byte> raw;  // [row][column], the bits that were loaded: what transpose moves
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
  Weights* weights = nullptr;    // of the tensor engine
  LaneState* lanes = nullptr;    // of the engine that executes; null: accumulators 0, generators as at the start
  Rounding* rounding = nullptr;  // of the element-wise engine that executes; null: to nearest, ties to even
  bool exact_integers = false;   // the engine computes 32-bit integers exactly (GpSimd)

  std::byte* at(Space space, unsigned partition, std::size_t offset) const {
    return space == Space::kPsum ? psum + partition * psum_stride + offset
                                 : sbuf + partition * sbuf_stride + offset;
  }
};

// Apply one compute instruction. DMA, semaphores, registers and control flow change no tile: nothing happens.
// Throws ProgramError E-ISA-401 when a matmul or transpose wants more rows or columns than the weights have,
// E-ISA-402 when an index of a gather is out of range.
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

// Apply a dma_compute: dst = src_0 + src_1 + ..., in fp32 from source 0 on with one rounding per addition,
// then rounded once to dst's dtype. One source is a copy (execute_dma). Every source is read before dst is
// written. `hbm_srcs`: per source, as in execute_dma.
void execute_dma_compute(std::span<const Descriptor> sources, const CoreView& core, std::byte* hbm_dst,
                         std::span<const std::byte* const> hbm_srcs);

}  // namespace tahoma::isa
