// SPDX-License-Identifier: Apache-2.0
// Identifies the instruction behind an access and its time, as reports name it.
#pragma once

#include "isa/core/instruction.h"
#include "model/base/units.h"
#include "model/check/clock.h"

namespace tahoma::model::check {

inline constexpr std::uint8_t kNoRing = 0xff;

// One execution of one instruction.
struct Origin {
  std::uint32_t core = 0;
  std::uint32_t index = 0;  // in the stream
  Count position = 0;       // number of instructions that its queue has started, this one included
  isa::Queue queue = isa::Queue::kSync;
  isa::Opcode op = isa::Opcode::kNop;
  std::uint8_t ring = kNoRing;  // of a transfer
  base::Time time{0};           // start time; for a transfer, the time of its doorbell

  // Returns whether the same queue started this later than `o`.
  bool follows(const Origin& o) const { return core == o.core && queue == o.queue && position > o.position; }
};

}  // namespace tahoma::model::check
