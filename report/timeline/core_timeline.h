// SPDX-License-Identifier: Apache-2.0
// Records what the engines of some cores do over time: instructions, and the waits between them. An engine
// has at most 256 cells, whatever the length of the run: when there are more, neighbours that together are
// shorter than the shortest cell are united, and the shortest cell doubles.
//
// A wait is what an engine's time counts between two instructions, named by the stall reason with the largest
// part of it.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"

namespace tahoma::runtime {

// The cells of an engine follow each other without gaps, from the start of the run to the end of its last
// instruction.
struct TimelineCell {
  base::Time from{0}, to{0};
  base::Duration busy;             // an instruction occupied the engine
  std::uint32_t instructions = 0;  // that began in it
  // The longest part: an instruction (kBusy), or a wait.
  base::Duration longest;
  base::StallReason reason = base::StallReason::kBusy;
  std::uint32_t index = 0;  // of the instruction, in the queue's stream
  base::Duration time() const { return to - from; }
};

class CoreTimeline final : public base::Observer {
 public:
  // `cores` are different numbers below `machine_cores`.
  CoreTimeline(std::uint64_t machine_cores, const std::vector<std::uint32_t>& cores);

  void instruction(const base::InstructionActivity& activity) override {
    if (first_track_[activity.core] != kNone)
      add(tracks_[first_track_[activity.core] + activity.queue], activity);
  }
  void transfer(const base::TransferActivity&) override {}

  struct Track {
    std::uint32_t core = 0;
    std::uint8_t queue = 0;  // isa::Queue
    std::vector<TimelineCell> cells;
    base::Duration shortest;  // cells that are together not longer are united
    base::StallTimes so_far{};
  };
  const std::vector<Track>& tracks() const {
    return tracks_;
  }  // cores as given, engines in the order of their queues

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static void add(Track& track, const base::InstructionActivity& activity);

  std::vector<std::uint32_t> first_track_;  // by core
  std::vector<Track> tracks_;
};

}  // namespace tahoma::runtime
