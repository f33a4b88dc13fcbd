// SPDX-License-Identifier: Apache-2.0
// Flash attention backward for the heads of one NeuronCore, as a program for one core. Inputs are the scores
// S = Q K^T / sqrt(d) of a head and two results of the forward pass: LSE (log of every row's sum of
// exponentials) and D (every row's sum of dO o O).
//
//   P = exp(S - LSE)     dP = dO V^T     dS = P o (dP - D)
//   dV = P^T dO          dK = dS^T Q / sqrt(d)     dQ = dS K / sqrt(d)
//
// dK and dV sum over the query heads that share a key head. In HBM: qt, dot [heads d, q_len] and kt, vt
// [kv_heads d, kv_len] are d-major, and q, do [heads q_len, d] and k [kv_heads kv_len, d] are row-major,
// because the array contracts over partitions and these are contracted in both dimensions. lse, delta [heads,
// q_len] are fp32. Results are dq [heads q_len, d] and dk, dv [kv_heads kv_len, d]. All others are in
// `dtype`, to which P and dS are also rounded; sums are fp32. If dQ of a key head's queries does not fit
// SBUF, its queries are processed in several segments, and dk_sum, dv_sum [kv_heads kv_len, d] of fp32 hold
// the sums between them.
//
// Alternatively `by_rows`, token-major, possibly columns of wider matrices: q, do, o and dq [q_len, heads d],
// k, v, dk, dv and the sums [kv_len, kv_heads d]. DMA transposes operands that are contracted over d on their
// way into SBUF (workloads/common/transposed_load.h), and D is computed from o and do here. This form
// supports the heads of one core only: parts = 1.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/program.h"
#include "workloads/attention/flash_kernel.h"

namespace tahoma::workloads {

struct BackwardTiling {
  unsigned chunk;          // keys of a chunk: partitions of transposed dS
  unsigned q_rows;         // queries of a tile: partitions of scores
  unsigned block_chunks;   // chunks of a block, whose scores fill a PSUM bank
  unsigned group_tiles;    // tiles of queries that are loaded together
  unsigned d_rows;         // part of d contracted by one score matmul
  unsigned d_columns;      // part of d that one matmul writes
  unsigned segment_tiles;  // tiles of queries whose dQ is on chip

  std::uint64_t block_keys() const { return std::uint64_t{block_chunks} * chunk; }
};
BackwardTiling backward_tiling_of(const model::MachineParams& machine, const FlashShape& shape);

// A tile of queries of one head.
struct BackwardTile {
  std::uint64_t head = 0, query = 0;
  unsigned rows = 0;
};
// The chunks [begin, end) of a block that a tile sees.
struct BackwardUnit {
  std::size_t tile = 0;  // of the segment
  std::uint64_t begin = 0, end = 0;
  bool opens = false, closes = false;  // the tile's first and last in this segment's blocks
};
struct BackwardBlock {
  std::uint64_t kv_head = 0, number = 0, first_key = 0;
  unsigned keys = 0;
  bool adds = false, leaves = false;  // to sums of earlier segments; leaves sums for later segments
  std::vector<BackwardUnit> units;
};
struct BackwardSegment {
  std::uint64_t kv_head = 0;
  std::vector<BackwardTile> tiles;
  std::vector<BackwardBlock> blocks;
};
std::vector<BackwardSegment> backward_segments(const FlashShape& shape, const BackwardTiling& tiling);
// Whether sums are stored between segments.
bool in_segments(const FlashShape& shape, const BackwardTiling& tiling);

struct FlashBackwardViews {
  runtime::HbmView q, k, d_o, lse, dq, dk, dv;
  runtime::HbmView v, o;                    // by rows
  runtime::HbmView qt, kt, vt, dot, delta;  // not by rows
  runtime::HbmView dk_sum, dv_sum;          // in_segments()
};

// Appends it to a kernel, which may contain more than this. Uses up to all of PSUM and, for long sequences,
// of SBUF. Throws UserError E-ATT-006 for `by_rows` on a machine whose tiles are not multiples of 16.
void emit_flash_backward(runtime::Kernel& kernel, const model::MachineParams& machine,
                         const FlashShape& shape, const FlashBackwardViews& views);

// A separate program, not by rows, with the arguments qt, q, kt, k, vt, dot, do, lse, delta, dq, dk, dv, the
// sums if there are segments, and those of BackwardExchange.
isa::Program build_flash_backward(const FlashShape& shape, const model::MachineParams& machine);

}  // namespace tahoma::workloads
