// SPDX-License-Identifier: Apache-2.0
// The tracks of engine queues. There is a slice for each stretch of an engine's time, named by the
// instruction if the engine is busy and by the stall reason if not (base::StallReason), inside a slice of its
// region. A stall reason belongs to the next instruction. Idle time at the end has no slice; with it, the
// slices of an engine would add up to the elapsed time.
//
// Operations in the background that take none of the engine's time are on separate tracks, "tensor_behind",
// from start to result: weight loads, and the sequencer's work meanwhile. The engine's wait for weights is a
// stall reason.
#pragma once

#include <string>
#include <vector>

#include "model/base/activity.h"
#include "report/trace/timeline.h"

namespace tahoma::runtime {

class EngineSlices {
 public:
  explicit EngineSlices(Timeline& timeline);
  void stretch(const base::StretchActivity& stretch);
  void instruction(const base::InstructionActivity& activity);
  // The stretches after the last instruction, and the end of the last regions.
  void close();

 private:
  struct Queue {
    std::vector<base::StretchActivity> pending;  // of the next instruction
    PacketWriter::Track track = PacketWriter::kRoot;
    std::string region;  // open; none: ""
    base::Time end{0};   // end of the latest slice
    Lanes behind;
  };
  Queue& queue_of(std::uint32_t core, std::uint8_t queue) { return queues_[core * isa::kQueueCount + queue]; }
  void write(Queue& queue, const base::StretchActivity& stretch, const base::InstructionActivity* of,
             bool with_flows);
  void write_behind(Queue& queue, const base::InstructionActivity& activity, bool with_flows);
  void enter_region(Queue& queue, const base::StretchActivity& stretch, std::string_view region);

  Timeline& timeline_;
  std::vector<Queue> queues_;
};

}  // namespace tahoma::runtime
