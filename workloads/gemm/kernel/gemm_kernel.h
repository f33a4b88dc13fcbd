// SPDX-License-Identifier: Apache-2.0
// One core's part of a GEMM as a program: unless another nest is asked for (gemm_nests.h) blocked as pays on
// the machine, loads ahead of their use, weights used for several matmuls, PSUM accumulating over all of K. a
// lies K-major in HBM (transposed: [k, m]), as the tensor engine takes its stationary operand, or by rows
// ([m, k]: GemmShape::a_by_rows); b is [k, n] or transposed as well ([n, k]: b_by_rows); the result is [m,
// n], row-major.
#pragma once

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"
#include "workloads/gemm/kernel/blocking.h"
#include "workloads/gemm/kernel/gemm_nests.h"

namespace tahoma::workloads {

// The instructions of a program are unrolled: more matmuls than this (about 1 GB of host memory) are refused.
inline constexpr std::uint64_t kMostMatmuls = std::uint64_t{1} << 21;

// Appends the product of the views to a kernel, which may hold more than this. Any of them may be some
// columns of a wider matrix (row_stride > columns). Takes the SBUF and PSUM that the blocking asks for, up to
// all there is. Throws UserError E-RUN-031 when its program would be too long.
void emit_gemm(GemmNest nest, runtime::Kernel& kernel, const model::MachineParams& machine,
               const GemmShape& shape, const GemmViews& views);

// The kernel's program; the published nests have the descriptors of their transfers generated.
isa::Program finish_gemm(GemmNest nest, runtime::Kernel& kernel);

// All of it on one core, with the arguments "a" [k, m], "b" [k, n] and "c" [m, n], rows as GemmShape says;
// behind them, where the shape has them, "tags", "bias" and "residual" (GemmViews). The copy out of PSUM
// casts.
isa::Program gemm_program(const model::MachineParams& machine, const GemmShape& shape,
                          GemmNest nest = GemmNest::kChosen);

}  // namespace tahoma::workloads
