// SPDX-License-Identifier: Apache-2.0
// The differences between the kinds of engines: the stall reason of waits for them, and the timing of their
// sequencers.
#pragma once

#include "model/base/measurements.h"
#include "model/engine/params/engine_params.h"

namespace tahoma::model {

struct KindRow {
  base::StallReason raiser;
  SequencerTiming SequencerParams::*sequencer;
  QueueTiming SequencerParams::*queue;  // null: no engine behind the sequencer
};
const KindRow& kind_row(base::EngineKind kind);

// The vector engine's sequencer runs at its lanes' clock, all others at the base clock (measured).
base::Frequency sequencer_clock(base::EngineKind kind, const CoreParams& params);

}  // namespace tahoma::model
