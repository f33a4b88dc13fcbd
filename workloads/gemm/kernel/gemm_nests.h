// SPDX-License-Identifier: Apache-2.0
// Loop nests that do not adapt to the machine: three published steps of optimising one GEMM, for comparison
// with silicon (workloads/gemm/README.md) and with the blocking that the kernel chooses. All use the array's
// largest tiles, accumulate a tile of C in one PSUM bank over all of K, evacuate it by the vector engine and
// store it at once. The hardware generates the descriptors: one generator serves the sync engine's queue
// (loads), one the scalar engine's (stores).
#pragma once

#include "runtime/builder/kernel.h"
#include "workloads/gemm/kernel/blocking.h"

namespace tahoma::workloads {

enum class GemmNest : std::uint8_t { kChosen, kNaive, kBlocked, kRowLoads };

struct GemmViews {
  // a [k, m] or by rows [m, k], b [k, n] or by rows [n, k], c [m, n]; rows of a and b as in GemmShape
  runtime::HbmView a, b, c;
  runtime::HbmView tags;            // uint16 [rows of a, tag_columns(m)], for a sparse a
  runtime::HbmView bias, residual;  // bias fp32 [m, 1] or [1, n]; residual as c
};

// Loop order m, n, k: every matmul loads its tile of a and its tile of b.
void emit_naive(runtime::Kernel& kernel, const model::MachineParams& machine, const GemmShape& shape,
                const GemmViews& views);

// How a block is loaded into SBUF: one load for each of its tiles, or one for all of its columns of a tile of
// K.
enum class BlockLoads : std::uint8_t { kTiles, kRows };

// Blocks of 8 x 2 tiles of C: a block of a, all of K, stays resident while the blocks of b pass. Within the
// two, groups of `group_m` x `group_n` tiles accumulate concurrently with k as the outer loop; groups of one
// tile have k innermost.
struct BlockNest {
  BlockLoads loads = BlockLoads::kTiles;
  unsigned group_m = 1, group_n = 1;
};
inline constexpr BlockNest kBlockedNest{BlockLoads::kTiles, 1, 1};
// A group is half of PSUM; the other half is evacuated meanwhile. A row of a block is free again a group's
// time before the next one is needed; with k innermost it would be in use to the end.
inline constexpr BlockNest kRowLoadsNest{BlockLoads::kRows, 2, 2};

// Throws UserError E-RUN-024 if SBUF does not hold a block of each operand.
void emit_blocked(runtime::Kernel& kernel, const model::MachineParams& machine, const GemmShape& shape,
                  const GemmViews& views, const BlockNest& nest);

}  // namespace tahoma::workloads
