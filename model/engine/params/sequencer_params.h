// SPDX-License-Identifier: Apache-2.0
// Parameters of sequencers, semaphores, and the rendezvous of the two cores of a logical core.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

using base::Bandwidth, base::Bytes, base::Cycles, base::Duration, base::Frequency, base::ParamTree;

// An engine's sequencer, which runs waits, updates, registers, branches and doorbells itself, one after the
// other. Cycles are those of its own clock: the clock of the lanes for the vector engine, the base clock for
// all others.
struct SequencerTiming {
  Cycles wake;    // semaphore value -> start of an instruction that waited
  Cycles wait;    // of a stand-alone wait, start -> end
  Cycles update;  // of a stand-alone update, start -> end
  Cycles raise;   // end of an instruction that updates -> new value
  Cycles gap;     // end of a stand-alone wait or update -> start of the sequencer's next instruction
  Cycles step;    // of a register operation or a branch that is not taken, start -> next start
  Cycles jump;    // of a taken branch, start -> start at the target
};

// The queue in which a sequencer hands instructions to its engine.
struct QueueTiming {
  Cycles wake;          // semaphore value -> start of an engine's instruction that waited
  Cycles to_engine;     // end of a stand-alone wait or update -> start of an engine's instruction
  Cycles from_engine;   // an instruction is handed over -> start of a sequencer's instruction behind it
  std::uint64_t depth;  // instructions handed over that have not started
};

struct SequencerParams {
  Frequency clock;  // NC base clock of sequencers and semaphores
  SequencerTiming tensor, vector, scalar, gpsimd, sync, collective;
  QueueTiming tensor_queue, vector_queue, scalar_queue, gpsimd_queue;
  Cycles dispatch;               // an instruction is handed to the engine -> the next one
  Cycles result;                 // added to `raise` for an engine's instruction: its last result is written
  Cycles compare;                // of an update that waited, start -> end: only the comparison is left
  Duration load_sbuf, load_hbm;  // added for a register load or store to the time of a register operation
  void declare(ParamTree& t);
};

// Rendezvous of the two cores of a logical core.
struct RendezvousParams {
  Duration barrier;            // the later core's arrival -> both go on
  Duration gpsimd_latency;     // of a swap through GpSimd's own DMA, beyond its bytes
  Bandwidth gpsimd_bandwidth;  // each direction
  void declare(ParamTree& t);
};

}  // namespace tahoma::model
