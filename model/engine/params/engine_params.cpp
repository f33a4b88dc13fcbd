// SPDX-License-Identifier: Apache-2.0
#include "model/engine/params/engine_params.h"

namespace tahoma::model {

using base::documented;

void CoreParams::declare(ParamTree& t) {
  t.add("version", version, isa::CoreVersion::kV3, kCoreVersions,
        "the NeuronCore: which instructions and operands its programs may have; rates and sizes have "
        "parameters of their "
        "own, which model/configs sets together",
        documented("v2: trainium_inferentia2_arch.rst, v3: trainium2_arch.rst, v4: trainium3_arch.rst"));
  t.group("tensor", tensor);
  t.group("vector", vector);
  t.group("scalar", scalar);
  t.group("gpsimd", gpsimd);
  t.group("costs", costs);
  t.group("sequencer", sequencer);
  t.group("meeting", rendezvous);
  t.group("sbuf", sbuf);
  t.group("psum", psum);
  t.group("dma", dma);
  t.add("rounding", rounding, RoundingMode::kNearest, kRoundingModes,
        "how the vector, scalar and GpSimd engines round to tf32, bf16, fp16 and fp8; stochastic follows the "
        "run's seed and has no golden check",
        documented("trainium2_arch.rst: both modes; nearest even by default here"));
}

}  // namespace tahoma::model
