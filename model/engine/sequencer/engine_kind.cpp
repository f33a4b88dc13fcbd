// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/engine_kind.h"

namespace tahoma::model {

using base::StallReason;

namespace {

// The rows follow the order of EngineKind.
const KindRow kKinds[base::kEngineKinds] = {
    {StallReason::kWaitTensor, &SequencerParams::tensor, &SequencerParams::tensor_queue},
    {StallReason::kWaitVector, &SequencerParams::vector, &SequencerParams::vector_queue},
    {StallReason::kWaitScalar, &SequencerParams::scalar, &SequencerParams::scalar_queue},
    {StallReason::kWaitGpSimd, &SequencerParams::gpsimd, &SequencerParams::gpsimd_queue},
    {StallReason::kWaitSync, &SequencerParams::sync, nullptr},
    {StallReason::kWaitCollective, &SequencerParams::collective, nullptr},
};
}  // namespace

const KindRow& kind_row(base::EngineKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

base::Frequency sequencer_clock(base::EngineKind kind, const CoreParams& p) {
  return kind == base::EngineKind::kVector ? p.vector.clock : p.sequencer.clock;
}

}  // namespace tahoma::model
