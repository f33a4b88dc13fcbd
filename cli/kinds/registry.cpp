// SPDX-License-Identifier: Apache-2.0
#include "cli/kinds/registry.h"

#include "built_modules.h"
#include "frontend/graph/workload/graph_workload.h"
#include "frontend/nki/workload/nki_workload.h"
#include "frontend/program/program_workload.h"
#include "workloads/attention/attention.h"
#include "workloads/attention/backward/attention_backward.h"
#include "workloads/collective/collective.h"
#include "workloads/colocated/colocated.h"
#include "workloads/convolution/conv2d.h"
#include "workloads/convolution/convolution.h"
#include "workloads/decode/decode.h"
#include "workloads/embedding/embedding.h"
#include "workloads/gemm/gemm.h"
#include "workloads/loss/cross_entropy.h"
#include "workloads/mlp/mlp.h"
#include "workloads/moe/routing.h"
#include "workloads/norm/norm.h"
#include "workloads/optimizer/adam.h"
#include "workloads/quantise/quantise.h"
#include "workloads/reduction/reduction.h"
#include "workloads/rms_norm/rms_norm.h"
#include "workloads/rope/rope.h"
#include "workloads/training/training.h"
#include "workloads/transformer/transformer.h"
#include "workloads/transpose/transpose.h"
#include "workloads/vector_add/vector_add.h"

namespace tahoma::workloads {

const std::vector<runtime::WorkloadKind>& shipped_kinds() {
  static const std::vector<runtime::WorkloadKind> kinds{
      {"gemm", "C = A B of any size, sharded over cores, partial sums reduced over NeuronLink", make_gemm},
      {"attention", "flash attention forward, causal or full, heads sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_attention)},
      {"decode", "attention of a decoding step over a cache of keys and values, contiguous or paged",
       TAHOMA_MODULE_PART(kernels, make_decode)},
      {"transformer", "decoder layers of a model over the machine, tensor- and data-parallel",
       TAHOMA_MODULE_PART(kernels, make_transformer)},
      {"training", "one step of training a model's layers over the machine, tensor- and data-parallel",
       TAHOMA_MODULE_PART(kernels, make_training)},
      {"attention_backward", "flash attention backward: gradients of Q, K and V, heads sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_attention_backward)},
      {"collective", "a collective operation over ranges of sizes, groups and algorithms", make_collective},
      {"conv2d",
       "a convolution of any channels, stride and padding as an implicit GEMM, images sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_conv2d)},
      {"convolution",
       "a convolution with bias, images sharded over cores, weights transposed on chip or by DMA",
       TAHOMA_MODULE_PART(kernels, make_convolution)},
      {"mlp", "feed-forward layer of a transformer, SwiGLU or with a GELU, tokens sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_mlp)},
      {"rms_norm", "root-mean-square normalisation of rows, sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_rms_norm)},
      {"rms_norm_backward", "gradients of RMS normalisation: of its input and, summed over rows, of its gain",
       TAHOMA_MODULE_PART(kernels, make_rms_norm_backward)},
      {"layer_norm", "layer normalisation of rows with gain and bias, statistics saved",
       TAHOMA_MODULE_PART(kernels, make_layer_norm)},
      {"layer_norm_backward", "gradients of layer normalisation: of its input, gain and bias",
       TAHOMA_MODULE_PART(kernels, make_layer_norm_backward)},
      {"softmax", "softmax of rows", TAHOMA_MODULE_PART(kernels, make_softmax)},
      {"softmax_backward", "gradient of softmax, from its saved output",
       TAHOMA_MODULE_PART(kernels, make_softmax_backward)},
      {"adam", "a step of AdamW on a matrix of parameters", TAHOMA_MODULE_PART(kernels, make_adam)},
      {"transpose", "y = x^T, by the tensor engine or by the DMA engines",
       TAHOMA_MODULE_PART(kernels, make_transpose)},
      {"reduction", "sum, mean, maximum or minimum over rows or columns",
       TAHOMA_MODULE_PART(kernels, make_reduction)},
      {"quantise", "fp8 with a scale for each row or block of columns",
       TAHOMA_MODULE_PART(kernels, make_quantise)},
      {"dequantise", "from fp8 with scales to a wider type", TAHOMA_MODULE_PART(kernels, make_dequantise)},
      {"rope", "rotary position embedding, tokens sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_rope)},
      {"embedding", "rows of a table by token ids, ids sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_embedding)},
      {"cross_entropy", "losses of logits with labels, their mean and gradient, rows sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_cross_entropy)},
      {"moe_router", "routing of tokens to experts by a router's weights, tokens sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_moe_router)},
      {"moe_routing", "routing of tokens to experts by given logits, tokens sharded over cores",
       TAHOMA_MODULE_PART(kernels, make_moe_routing)},
      {"vector_add", "y = a + b, tiles sharded over cores", TAHOMA_MODULE_PART(kernels, make_vector_add)},
      {"colocated", "several workloads at once, each on cores of its own, from a time on or after others",
       TAHOMA_MODULE_PART(kernels, make_colocated)},
      {"nki", "a kernel written in NKI (Python), on one or two physical cores",
       TAHOMA_MODULE_PART(nki, make_nki)},
      {"graph", "an ONNX model, the first dimension of its inputs sharded over cores",
       TAHOMA_MODULE_PART(nki, make_graph)},
      {"program", "a program in assembler text on one or more cores, with tensors declared in the case",
       TAHOMA_MODULE_PART(nki, make_program)},
  };
  return kinds;
}

}  // namespace tahoma::workloads
