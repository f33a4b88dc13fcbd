// SPDX-License-Identifier: Apache-2.0
// One core's part of a GEMM as a program: unless another nest is asked for (gemm_nests.h) blocked as pays on
// the machine, loads ahead of their use, weights used for several matmuls, PSUM accumulating over all of K. a
// lies K-major in HBM (transposed: [k, m]), as the tensor engine takes its stationary operand; b is [k, n]
// and the result [m, n], both row-major.
#pragma once

#include "isa/program.h"
#include "runtime/collective.h"
#include "workloads/gemm/blocking.h"
#include "workloads/gemm/gemm_nests.h"

namespace tahoma::workloads {

// The instructions of a program are unrolled: more matmuls than this (about 1 GB of host memory) are refused.
inline constexpr std::uint64_t kMostMatmuls = std::uint64_t{1} << 21;

// Arguments: "a" [k, m], "b" [k, n], and "c" [m, n] when ring.ranks is 1. Otherwise "partial" [m, n] fp32,
// "c" [rows of this rank's chunk, n], and the ring's (runtime/collective.h). With a ring, partial sums are
// fp32 and the last transfer casts; without, the copy out of PSUM does. Throws UserError E-RUN-031 when the
// program would be too long.
isa::Program gemm_program(const model::MachineParams& machine, GemmShape shape, const runtime::RingRank& ring,
                          GemmKernel nest = GemmKernel::kChosen);

}  // namespace tahoma::workloads
