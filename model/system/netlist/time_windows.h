// SPDX-License-Identifier: Apache-2.0
// Simulates a part of a machine in step with the processes that simulate the rest.
//
// Nothing that a process sends has an effect elsewhere before the lookahead is over, which is the flight time
// of a hop: a credit needs that long, and a packet also the time of a router. So every process can simulate a
// window as long as the lookahead, from the next event of any process on. Then they exchange what they have
// sent and, in the same exchange, agree on the next window: it begins with the first event of any process or
// the first effect of what they sent. Stretches without events cost nothing.
#pragma once

#include <functional>

#include "model/base/units.h"
#include "model/sim/meter.h"
#include "model/system/parallel/cut.h"

namespace tahoma::model {

class Windows {
 public:
  Windows(Processes& processes, Cut& cut, base::Duration lookahead);

  enum class End : std::uint8_t {
    kNoEvent,  // anywhere
    kLimit,    // events are left at the limit or later
    kFailure   // in some process
  };
  // Processes do this between windows.
  struct Tasks {
    std::function<bool()> wants;      // if true in any process after a window,
    std::function<void()> act;        // all of them call this
    std::function<bool()> meanwhile;  // as in Processes::exchange()
  };
  // `limit` of simulated time; 0: none.
  End run(base::Duration limit, sim::Meter& meter, const Tasks& tasks);

  std::uint64_t count() const { return count_; }

 private:
  Processes& processes_;
  Cut& cut_;
  base::Duration lookahead_;
  std::uint64_t count_ = 0;
};

}  // namespace tahoma::model
