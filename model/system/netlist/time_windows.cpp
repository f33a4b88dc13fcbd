// SPDX-License-Identifier: Apache-2.0
#include "model/system/netlist/time_windows.h"

#include <algorithm>
#include <systemc>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Time;

namespace {

Time next_event() {
  if (!sc_core::sc_pending_activity()) return base::kNever;
  return sim::now() + sim::from_systemc(sc_core::sc_time_to_pending_activity());
}

}  // namespace

Windows::Windows(Processes& processes, Cut& cut, base::Duration lookahead)
    : processes_(processes), cut_(cut), lookahead_(lookahead) {
  TAHOMA_INVARIANT(lookahead.fs > 0, "processes cannot simulate a machine whose links have no latency");
}

Windows::End Windows::run(base::Duration limit, sim::Meter& meter, const Tasks& tasks) {
  Time next{0};  // the kernel elaborates in the first window
  for (;;) {
    const Time until = limit.fs == 0 ? next + lookahead_ : std::min(next + lookahead_, limit);
    if (!meter.failed()) sc_core::sc_start(sim::to_systemc(until - sim::now()));
    ++count_;
    const Cut::Sent sent = cut_.take_sent();
    const bool failed = meter.failed();
    const Time first = failed ? base::kNever : std::min(next_event(), sent.first_effect);
    const Processes::Exchanged all =
        processes_.exchange(sent.to, {first.fs, failed ? 0 : 1, tasks.wants() ? 0 : 1}, tasks.meanwhile);
    next = {all.least[0]};
    if (!failed)
      meter.guard("cut", [&] {
        cut_.deliver(all.received);
        TAHOMA_INVARIANT(next_event() >= next, "a message has an effect before its time");
      });
    if (all.least[2] == 0) tasks.act();
    if (all.least[1] == 0) return End::kFailure;
    if (next == base::kNever) return End::kNoEvent;
    if (limit.fs != 0 && next >= limit) return End::kLimit;
  }
}

}  // namespace tahoma::model
