// SPDX-License-Identifier: Apache-2.0
// What tells the kinds of engines apart: who waits for them under which name, their semaphore latencies, and
// the pipeline behind the sequencer.
#pragma once

#include <memory>

#include "model/engine/pipeline.h"

namespace tahoma::model {

struct KindRow {
  base::Cycle raiser;
  base::Duration SequencerParams::*wake;
  base::Duration SequencerParams::*raise;
};
const KindRow& kind_row(base::EngineKind kind);

// Null for sync engines and collective cores: they have none.
std::unique_ptr<Pipeline> make_pipeline(base::EngineKind kind, const CoreParams& params);

}  // namespace tahoma::model
