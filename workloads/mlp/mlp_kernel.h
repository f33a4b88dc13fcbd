// SPDX-License-Identifier: Apache-2.0
// The feed-forward part of a transformer layer on one core: y = down(h), h = activation(gate(x)) * up(x)
// (SwiGLU) or h = activation(up(x) + bias) with a bias of down as well (GELU). Tensors are feature-major in
// HBM, x [d, tokens] and y [d, tokens], so that no operand is transposed: up to 512 tokens are the moving
// operand, and weights [in, out] are the stationary one. All of h for these tokens stays in SBUF; the weights
// are streamed once for each block of tokens. Sums are fp32; h is rounded to the tensors' dtype.
//
// Not supported: more hidden features than SBUF holds for one token (E-RUN-094), and hidden features shared
// between cores, which would need a sum over them.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::workloads {

struct MlpShape {
  std::uint64_t tokens = 0, features = 0, hidden = 0;
  isa::DType dtype = isa::DType::kBf16;  // of all but the biases, which are fp32
  isa::ActFn activation = isa::ActFn::kSilu;
  bool gated = true;
  bool bias = false;
};

// Arguments: x [features, tokens], gate (if gated) and up [features, hidden], down [hidden, features], with
// bias up_bias [hidden, 1] and down_bias [features, 1], y [features, tokens].
isa::Program mlp_program(const model::MachineParams& machine, const MlpShape& shape);

}  // namespace tahoma::workloads
