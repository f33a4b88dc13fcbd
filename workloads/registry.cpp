// SPDX-License-Identifier: Apache-2.0
// Every kind of workload that `kind:` may name.
#include "runtime/workload.h"
#include "workloads/attention/attention.h"
#include "workloads/collective/collective.h"
#include "workloads/convolution/conv2d.h"
#include "workloads/convolution/convolution.h"
#include "workloads/gemm/gemm.h"
#include "workloads/mlp/mlp.h"
#include "workloads/program/program.h"
#include "workloads/rms_norm/rms_norm.h"
#include "workloads/vector_add/vector_add.h"

namespace tahoma::runtime {

const std::vector<WorkloadKind>& workload_kinds() {
  static const std::vector<WorkloadKind> kinds{
      {"gemm", "C = A B of any size, sharded over cores, partial sums reduced over NeuronLink",
       workloads::make_gemm},
      {"attention", "flash attention forward, causal or full, heads sharded over cores",
       workloads::make_attention},
      {"collective", "a collective operation over ranges of sizes, groups and algorithms",
       workloads::make_collective},
      {"conv2d",
       "a convolution of any channels, stride and padding as an implicit GEMM, images dealt to cores",
       workloads::make_conv2d},
      {"convolution", "a convolution with bias on one core, weights turned on chip or by DMA",
       workloads::make_convolution},
      {"mlp", "feed-forward layer of a transformer, SwiGLU or with a GELU, tokens dealt to cores",
       workloads::make_mlp},
      {"rms_norm", "root-mean-square normalisation of rows, dealt to cores", workloads::make_rms_norm},
      {"vector_add", "y = a + b, tiles dealt to cores", workloads::make_vector_add},
      {"program", "a program in assembler text on one or more cores, with tensors declared in the case",
       workloads::make_program},
  };
  return kinds;
}

}  // namespace tahoma::runtime
