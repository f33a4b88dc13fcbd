// SPDX-License-Identifier: Apache-2.0
// The tensor engine's dI/dt throttle: the array accepts a column every other cycle (8 cycles on, 8 off) until
// it has been busy for more than `share` of a whole free-running window. Throttling resumes after a window in
// which it has not. A column counts as one cycle at either rate, for the rows of the array that it enters:
// throttled, a product on all rows reaches at most one half, and one on half of the rows a quarter. Such a
// product therefore never ends the throttle by itself, and keeps the full rate that other work has reached.
// An array of more rows than the measured one ends the throttle by the same work (assumed), so that a kernel
// for fewer rows is no slower on it. Windows start at -phase. (Documented: half rate after idling, and when
// utilisation falls, overview-summary-page.rst. Derived from releases in the trn2 device profiles: the window
// length of 4096 cycles of the 1.2 GHz clock, and the share, which separates windows that were followed by a
// release from windows that were not. Rows: derived from measured kernels of NKIBench,
// workloads/nki/SILICON_TIMES.md.)
#pragma once

#include <vector>

#include "model/base/units.h"

namespace tahoma::model {

class Throttle {
 public:
  struct Rows {
    unsigned first = 0, count = 0;
  };

  // Times and lengths are in cycles of the array; `share` is in per cent, of `measured` rows if the array has
  // more.
  Throttle(bool on, base::Cycles window, base::Cycles phase, std::uint64_t share, unsigned rows,
           unsigned measured);

  // Returns whether a column that enters at `t` takes two cycles. Calls come in the order of windows; for an
  // earlier `t` the answer is that of the latest window seen.
  bool throttled(base::Cycles t);
  // Streams columns worth `work` cycles at full rate into these rows, back to back from `from` on, and
  // returns when the last has entered. Concurrent work of several tiles counts once for each of the
  // smallest tiles of rows.
  base::Cycles stream(base::Cycles from, base::Cycles work, Rows rows);

 private:
  void advance(base::Cycles t);
  bool half_rate() const;
  void count(std::int64_t from, std::int64_t to, std::int64_t rate, Rows rows);

  bool on_;
  std::int64_t window_, phase_;
  unsigned tile_;                         // rows of the smallest tiles
  std::int64_t least_;                    // half cycles times rows of work above which the throttle ends
  std::int64_t current_ = 0;              // window that worked_ belongs to
  std::int64_t worked_ = 0;               // half cycles times rows
  std::int64_t last_ = 0;                 // of the previous window
  std::vector<std::int64_t> counted_to_;  // by tile of rows
};

}  // namespace tahoma::model
