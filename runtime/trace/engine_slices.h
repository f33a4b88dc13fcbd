// SPDX-License-Identifier: Apache-2.0
// The tracks of engine queues: a slice for each stretch of an engine's time, called by the instruction where
// it is busy and by the reason where it is not (base::StallReason), inside a slice of the region that it belongs
// to. A reason is that of the instruction which comes next. Nothing left to do is no slice: with it, the
// slices of an engine would add up to the elapsed time.
//
// What goes on behind that takes none of the engine's time, and lies on tracks of its own, "tensor_behind",
// from start to result: weights while they are loaded, and what the sequencer does meanwhile. What the engine
// has to wait for weights is a reason.
#pragma once

#include <string>
#include <vector>

#include "model/base/activity.h"
#include "runtime/trace/timeline.h"

namespace tahoma::runtime {

class EngineSlices {
 public:
  explicit EngineSlices(Timeline& timeline);
  void stretch(const base::StretchActivity& stretch);
  void instruction(const base::InstructionActivity& activity);
  // What belongs to no instruction any more, and the end of the last regions.
  void close();

 private:
  struct Queue {
    std::vector<base::StretchActivity> pending;  // of the instruction that comes next
    PacketWriter::Track track = PacketWriter::kRoot;
    std::string region;  // open; none: ""
    base::Time end{0};   // of what was written last
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
