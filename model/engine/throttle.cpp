// SPDX-License-Identifier: Apache-2.0
#include "model/engine/throttle.h"

#include <algorithm>

namespace tahoma::model {

void Throttle::advance(base::Time t) {
  const std::int64_t w = index(t);
  if (w == current_) return;
  last_busy_ = w == current_ + 1 ? current_busy_ : base::Duration{0};
  current_busy_ = {0};
  current_ = w;
}

void Throttle::busy(base::Time start, base::Time end) {
  if (!on_) return;
  while (start < end) {
    advance(start);
    const base::Time boundary{(current_ + 1) * window_.fs - phase_.fs};
    const base::Time until = std::min(end, boundary);
    current_busy_ += until - start;
    start = until;
  }
}

}  // namespace tahoma::model
