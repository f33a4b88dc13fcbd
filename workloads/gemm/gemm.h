// SPDX-License-Identifier: Apache-2.0
// The workload `gemm`: C = A B for A [m, k], B [k, n] of one dtype, sharded over the cores of a machine. Sums
// are fp32; C has the inputs' dtype. Inputs come from .npy files or a seed (runtime/run/inputs.h); each
// core's piece of A is placed transposed (K-major), as the tensor engine reads it, unless `a_layout` says
// rows.
//
// Shard {m: a, n: b, k: c}: a x b output tiles, each summed over c cores by a reduce_scatter (gemm_sum.h),
// after which those cores hold equal runs of the tile's rows. a x b x c must divide the machine's cores
// (E-RUN-030). If a size is smaller than its number of parts, trailing cores are idle.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_gemm();

}  // namespace tahoma::workloads
