// SPDX-License-Identifier: Apache-2.0
// The tensor engine's dI/dt throttle: half rate until a whole free-running window has been more than half
// busy; it returns after a window that was not. Windows of `window` start at -phase.
// (overview-summary-page.rst; the free-running window is inferred from 13 release delays between one and two
// windows.)
#pragma once

#include "model/base/units.h"

namespace tahoma::model {

class Throttle {
 public:
  Throttle(bool on, base::Duration window, base::Duration phase)
      : on_(on && window.fs > 0), window_(window), phase_(phase) {}

  bool throttled(base::Time t) {
    if (!on_) return false;
    advance(t);
    return last_busy_.fs * 2 <= window_.fs;
  }
  // The array streams from `start` to `end`; intervals come in order.
  void busy(base::Time start, base::Time end);

 private:
  std::int64_t index(base::Time t) const { return (t + phase_).fs / window_.fs; }
  void advance(base::Time t);

  bool on_;
  base::Duration window_, phase_;
  std::int64_t current_ = 0;  // window that current_busy_ belongs to
  base::Duration current_busy_{0}, last_busy_{0};
};

}  // namespace tahoma::model
