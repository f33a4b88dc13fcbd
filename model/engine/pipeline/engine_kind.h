// SPDX-License-Identifier: Apache-2.0
// What tells the kinds of engines apart: who waits for them under which name, the timing of their sequencers,
// and the pipeline behind it.
#pragma once

#include <memory>

#include "model/engine/pipeline/pipeline.h"

namespace tahoma::model {

struct KindRow {
  base::StallReason raiser;
  SequencerTiming SequencerParams::*sequencer;
  QueueTiming SequencerParams::*queue;  // null: there is no engine behind the sequencer
};
const KindRow& kind_row(base::EngineKind kind);

// The vector engine's sequencer has its lanes' clock, all others the base clock (measured).
base::Frequency sequencer_clock(base::EngineKind kind, const CoreParams& params);

// Null for sync engines and collective cores: they have none.
std::unique_ptr<Pipeline> make_pipeline(base::EngineKind kind, const CoreParams& params, TensorArray* array);

}  // namespace tahoma::model
