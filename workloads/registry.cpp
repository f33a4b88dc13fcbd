// SPDX-License-Identifier: Apache-2.0
// Every kind of workload that `kind:` may name.
#include "runtime/workload.h"
#include "workloads/attention/attention.h"
#include "workloads/attention/attention_backward.h"
#include "workloads/collective/collective.h"
#include "workloads/convolution/convolution.h"
#include "workloads/gemm/gemm.h"
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
      {"attention_backward", "flash attention backward: gradients of Q, K and V, heads sharded over cores",
       workloads::make_attention_backward},
      {"collective", "a collective operation over ranges of sizes, groups and algorithms",
       workloads::make_collective},
      {"convolution", "a convolution with bias on one core, weights turned on chip or by DMA",
       workloads::make_convolution},
      {"rms_norm", "root-mean-square normalisation of rows, dealt to cores", workloads::make_rms_norm},
      {"vector_add", "y = a + b, tiles dealt to cores", workloads::make_vector_add},
      {"program", "a program in assembler text on one or more cores, with tensors declared in the case",
       workloads::make_program},
  };
  return kinds;
}

}  // namespace tahoma::runtime
