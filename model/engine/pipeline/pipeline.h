// SPDX-License-Identifier: Apache-2.0
// The part of an engine behind its sequencer. It takes one instruction at a time and returns when the
// instruction starts, when the next may be dispatched and when the result is visible. It holds the private
// state of the engine (array, weights, tables, throttle). It never waits for another component, so it
// computes ahead of simulated time.
#pragma once

#include <memory>

#include "isa/core/instruction.h"
#include "model/engine/params/engine_params.h"
#include "model/engine/pipeline/ledger.h"
#include "model/engine/pipeline/tensor_array.h"

namespace tahoma::model {

struct Issue {
  base::Time start;
  base::Time next;      // the sequencer may read the following instruction
  base::Time complete;  // the result is visible to others, before semaphore latency
  // The sources have been read and may be overwritten: the end of the streaming (assumed; nothing is
  // published about updates on read).
  base::Time read;
  base::Time enter;  // the lanes or the array begin to stream
};

class Pipeline {
 public:
  virtual ~Pipeline() = default;
  // The time since which the sequencer holds the next instruction; any later wait is for a semaphore.
  virtual void decoded(base::Time) {}
  // `dispatch` never decreases from call to call.
  virtual Issue issue(const isa::Instruction& i, base::Time dispatch, Ledger& ledger) = 0;
  // The latest instruction streams `by` longer, for that reason. Returns its issue with the new times.
  virtual Issue hold(const Issue& issue, base::Duration by, base::StallReason reason, Ledger& ledger) = 0;
  const base::ArrayCounts& counted() const { return counted_; }

 protected:
  base::ArrayCounts counted_;
};

// `array` is null if the law of the array applies.
std::unique_ptr<Pipeline> make_tensor_pipeline(const TensorParams& params, TensorArray* array = nullptr);
std::unique_ptr<Pipeline> make_lane_pipeline(base::EngineKind kind, const CoreParams& params);

// Null for sync engines and collective cores, which have no pipeline.
std::unique_ptr<Pipeline> make_pipeline(base::EngineKind kind, const CoreParams& params, TensorArray* array);

}  // namespace tahoma::model
