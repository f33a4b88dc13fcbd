// SPDX-License-Identifier: Apache-2.0
// The differences between the kinds of engines: the stall reason of waits for them, the timing of their
// sequencers, and the pipeline behind.
#pragma once

#include <memory>

#include "model/engine/pipeline/pipeline.h"

namespace tahoma::model {

struct KindRow {
  base::StallReason raiser;
  SequencerTiming SequencerParams::*sequencer;
  QueueTiming SequencerParams::*queue;  // null: no engine behind the sequencer
};
const KindRow& kind_row(base::EngineKind kind);

// The vector engine's sequencer runs at its lanes' clock, all others at the base clock (measured).
base::Frequency sequencer_clock(base::EngineKind kind, const CoreParams& params);

// Null for sync engines and collective cores, which have no pipeline.
std::unique_ptr<Pipeline> make_pipeline(base::EngineKind kind, const CoreParams& params, TensorArray* array);

}  // namespace tahoma::model
