// SPDX-License-Identifier: Apache-2.0
// One core's part of a GEMM as a program. Unless another nest is requested (gemm_nests.h), the blocking is
// optimised for the machine: loads precede their use, weights serve several matmuls, and PSUM accumulates
// over all of K. a is K-major in HBM (transposed: [k, m]), as the tensor engine needs its stationary operand,
// or by rows ([m, k]: GemmShape::a_by_rows). b is [k, n], or also transposed ([n, k]: b_by_rows). The result
// is [m, n], row-major.
#pragma once

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"
#include "workloads/gemm/kernel/blocking.h"
#include "workloads/gemm/kernel/gemm_nests.h"

namespace tahoma::workloads {

// A program's instructions are unrolled, so programs with more matmuls than this (about 1 GB of host memory)
// are refused.
inline constexpr std::uint64_t kMostMatmuls = std::uint64_t{1} << 21;

// Appends the product of the views to a kernel, which may contain more than this. Each view may be some
// columns of a wider matrix (row_stride > columns). Uses the SBUF and PSUM that the blocking requires, up to
// all there is. Throws UserError E-RUN-031 if its program would be too long.
void emit_gemm(GemmNest nest, runtime::Kernel& kernel, const model::MachineParams& machine,
               const GemmShape& shape, const GemmViews& views);

// The same with a blocking that choose_blocking() has made for the shape, for several products of one shape.
void emit_gemm(const Blocking& blocking, runtime::Kernel& kernel, const model::MachineParams& machine,
               const GemmShape& shape, const GemmViews& views);

// Returns the kernel's program; the published nests have the descriptors of their transfers generated.
isa::Program finish_gemm(GemmNest nest, runtime::Kernel& kernel);

// All of it on one core, with the arguments "a" [k, m], "b" [k, n] and "c" [m, n], with rows by GemmShape,
// followed by "tags", "bias" and "residual" (GemmViews) if the shape has them. The copy out of PSUM casts.
isa::Program gemm_program(const model::MachineParams& machine, const GemmShape& shape,
                          GemmNest nest = GemmNest::kChosen);

}  // namespace tahoma::workloads
