// SPDX-License-Identifier: Apache-2.0
// The tensor engine's dI/dt throttle: the array takes a column every other cycle (8 cycles on, 8 off) until
// columns have streamed for more than `share` of a whole free-running window; it returns after a window in
// which they have not. A column counts as one cycle at either rate, so that half a window is the most that a
// throttled one can reach. Windows start at -phase.
// (Documented: half rate after idling, and when utilisation falls, overview-summary-page.rst. Derived from
// releases in the trn2 device profiles: windows 4096 cycles of the 1.2 GHz clock apart, and the share,
// between windows that were followed by a release and windows that were not.)
#pragma once

#include "model/base/units.h"

namespace tahoma::model {

class Throttle {
 public:
  // Times and lengths in cycles of the array; `share` in per cent.
  Throttle(bool on, base::Cycles window, base::Cycles phase, std::uint64_t share);

  // Whether a column that enters at `t` takes two cycles. Calls come in the order of windows; an earlier `t`
  // is answered for the latest window seen.
  bool throttled(base::Cycles t);
  // Columns worth `work` cycles at full rate enter from `from` on, one after another: when the last has
  // entered. What several tiles of the array do at the same time counts once.
  base::Cycles stream(base::Cycles from, base::Cycles work);

 private:
  void advance(base::Cycles t);
  bool half_rate() const;
  void count(std::int64_t from, std::int64_t to, std::int64_t rate);

  bool on_;
  std::int64_t window_, phase_;
  std::int64_t least_;        // half cycles of work that end the throttle, exclusive
  std::int64_t current_ = 0;  // window that worked_ belongs to
  std::int64_t worked_ = 0;   // half cycles
  std::int64_t last_ = 0;     // of the window before
  std::int64_t counted_to_ = 0;
};

}  // namespace tahoma::model
