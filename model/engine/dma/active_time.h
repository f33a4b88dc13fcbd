// SPDX-License-Identifier: Apache-2.0
// Measures the time during which any packet is in progress: from an issue until everything issued has been
// read. The end of a read may be reported in advance.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/base/units.h"

namespace tahoma::model {

class ActiveTime {
 public:
  void issued(base::Time at) {
    if (unread_++ > 0 || at <= until_) return;
    before_ += until_ - since_;
    since_ = until_ = at;
  }
  void read(base::Time until) {
    --unread_;
    until_ = std::max(until_, until);
  }
  base::Duration total() const { return before_ + (until_ - since_); }

 private:
  std::uint64_t unread_ = 0;  // issued, with unknown end of read
  base::Duration before_{0};  // total of the intervals before the one that began at since_
  base::Time since_{0}, until_{0};
};

}  // namespace tahoma::model
