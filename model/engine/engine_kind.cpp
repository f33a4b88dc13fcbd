// SPDX-License-Identifier: Apache-2.0
#include "model/engine/engine_kind.h"

namespace tahoma::model {

using base::Cycle;

namespace {

// By EngineKind.
const KindRow kKinds[base::kEngineKinds] = {
    {Cycle::kWaitTensor, &SequencerParams::wake_tensor, &SequencerParams::raise_tensor},
    {Cycle::kWaitVector, &SequencerParams::wake_vector, &SequencerParams::raise_vector},
    {Cycle::kWaitScalar, &SequencerParams::wake_scalar, &SequencerParams::raise_scalar},
    {Cycle::kWaitGpSimd, &SequencerParams::wake_gpsimd, &SequencerParams::raise_gpsimd},
    {Cycle::kWaitSync, &SequencerParams::wake_sync, &SequencerParams::raise_sync},
    {Cycle::kWaitCollective, &SequencerParams::wake_collective, &SequencerParams::raise_collective},
};
}  // namespace

const KindRow& kind_row(base::EngineKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::unique_ptr<Pipeline> make_pipeline(base::EngineKind kind, const CoreParams& p) {
  if (kind == base::EngineKind::kTensor) return make_tensor_pipeline(p.tensor);
  if (kind == base::EngineKind::kSync || kind == base::EngineKind::kCollective) return nullptr;
  return make_lane_pipeline(kind, p);
}

}  // namespace tahoma::model
