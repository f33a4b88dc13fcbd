// SPDX-License-Identifier: Apache-2.0
// The quantity of a run that is compared with a figure of silicon, in the notation of a table of figures:
//   EVENT - EVENT          a length of time between two events of core 0
//   (EVENT - EVENT) / N    the average of N equal ones
//   time, tflops           the simulated time of the run; its useful arithmetic over that time
// with the events
//   QUEUE[i].start .next .end             instruction i that a queue executed (base::InstructionActivity)
//   dma[e].ring[r][k].start .read .write  packet k of DMA engine e in ring r (base::PacketActivity)
//   sem[s]>=n                             semaphore s first has a value of at least n
// where i and k count from 0, or from the end if negative.
//
// UserError: E-ACC-008, not a probe; the place is that of the incorrect word.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "isa/core/instruction.h"

namespace tahoma::runtime {

struct InstructionEvent {
  enum class Moment : std::uint8_t { kStart, kNext, kEnd };
  isa::Queue queue = isa::Queue::kTensor;
  std::int64_t index = 0;
  Moment moment = Moment::kStart;
};

struct PacketEvent {
  enum class Moment : std::uint8_t { kStart, kRead, kWrite };
  std::uint64_t engine = 0, ring = 0;
  std::int64_t index = 0;
  Moment moment = Moment::kStart;
};

struct SemaphoreEvent {
  std::uint64_t semaphore = 0;
  std::int64_t at_least = 1;
};

struct Event {
  std::string text;  // as in the table
  std::variant<InstructionEvent, PacketEvent, SemaphoreEvent> what;
};

struct Interval {
  Event from, to;
  std::uint64_t count = 1;  // intervals of equal length between the two
};

enum class Whole : std::uint8_t { kTime, kTflops };

using Probe = std::variant<Interval, Whole>;

// `place` converts an offset in `text` to a place for messages.
Probe parse_probe(const std::string& text, const std::function<std::string(std::size_t)>& place);

}  // namespace tahoma::runtime
