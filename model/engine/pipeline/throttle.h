// SPDX-License-Identifier: Apache-2.0
// The tensor engine's dI/dt throttle: the array accepts a column every other cycle (8 cycles on, 8 off) until
// columns have streamed for more than `share` of a whole free-running window. Throttling resumes after a
// window in which they have not. A column counts as one cycle at either rate, so a throttled window reaches
// at most one half. Windows start at -phase. (Documented: half rate after idling, and when utilisation falls,
// overview-summary-page.rst. Derived from releases in the trn2 device profiles: the window length of 4096
// cycles of the 1.2 GHz clock, and the share, which separates windows that were followed by a release from
// windows that were not.)
#pragma once

#include "model/base/units.h"

namespace tahoma::model {

class Throttle {
 public:
  // Times and lengths are in cycles of the array; `share` is in per cent.
  Throttle(bool on, base::Cycles window, base::Cycles phase, std::uint64_t share);

  // Returns whether a column that enters at `t` takes two cycles. Calls come in the order of windows; for an
  // earlier `t` the answer is that of the latest window seen.
  bool throttled(base::Cycles t);
  // Streams columns worth `work` cycles at full rate, back to back from `from` on, and returns when the last
  // has entered. Concurrent work of several tiles of the array counts once.
  base::Cycles stream(base::Cycles from, base::Cycles work);

 private:
  void advance(base::Cycles t);
  bool half_rate() const;
  void count(std::int64_t from, std::int64_t to, std::int64_t rate);

  bool on_;
  std::int64_t window_, phase_;
  std::int64_t least_;        // half cycles of work above which the throttle ends
  std::int64_t current_ = 0;  // window that worked_ belongs to
  std::int64_t worked_ = 0;   // half cycles
  std::int64_t last_ = 0;     // of the previous window
  std::int64_t counted_to_ = 0;
};

}  // namespace tahoma::model
