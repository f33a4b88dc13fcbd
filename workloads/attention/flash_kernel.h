// SPDX-License-Identifier: Apache-2.0
// Flash attention forward for the heads of one NeuronCore, as a program for one core.
//
//   o[h] = softmax(q[h] k[h]^T / sqrt(d) + mask) v[h]
//
// Arguments in HBM: qt [heads d, q_len] and kt [heads d, kv_len], queries and keys d-major (transposed),
// because the array contracts over partitions; v [heads kv_len, d] and o [heads q_len, d] row-major. All in
// `dtype`, which the probabilities are rounded to as well; scores, sums and the accumulated output are fp32.
// Any lengths, any d up to the partitions.
//
// Blocks of the keys are walked once per tile of queries with a running maximum and a running sum, so no
// score ever goes to HBM. Leaves out: the backward pass, dropout, several query heads sharing keys, and
// cutting one head over cores.
#pragma once

#include <cstdint>

#include "isa/program.h"
#include "runtime/kernel.h"

namespace tahoma::workloads {

struct FlashShape {
  std::uint64_t heads = 1;  // of this core
  std::uint64_t q_len = 0, kv_len = 0, d = 0;
  bool causal = false;  // query i sees the keys j <= i + kv_len - q_len; needs q_len <= kv_len
  isa::DType dtype = isa::DType::kBf16;
};

// How a machine cuts the work: from its array, banks and partitions.
struct FlashTiling {
  unsigned q_rows;       // queries of a tile: partitions of scores and output
  unsigned kv_block;     // keys of a block: moving columns of a score matmul, one PSUM bank of fp32
  unsigned chunk;        // keys contracted by one matmul with v
  unsigned d_rows;       // part of d contracted by one score matmul
  unsigned d_columns;    // part of d that one matmul with v writes
  unsigned bank_chunks;  // transposed chunks that share a PSUM bank
};
FlashTiling tiling_of(const model::MachineParams& machine, isa::DType dtype);

isa::Program build_flash_kernel(const FlashShape& shape, const model::MachineParams& machine);

}  // namespace tahoma::workloads
