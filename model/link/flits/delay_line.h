// SPDX-License-Identifier: Apache-2.0
// Things that all arrive the same number of cycles after they were sent.
#pragma once

#include <cstdint>
#include <utility>

#include "model/sim/fifo.h"

namespace tahoma::model {

template <class T>
class DelayLine {
 public:
  explicit DelayLine(std::int64_t cycles) : cycles_(cycles) {}

  void send(std::int64_t cycle, const T& thing) { on_the_way_.push({cycle + cycles_, thing}); }
  // Calls visit(thing) for everything that has arrived by that cycle, in the order of sending.
  template <class Visit>
  void arrived(std::int64_t cycle, Visit&& visit) {
    for (; !on_the_way_.empty() && on_the_way_.front().first <= cycle; on_the_way_.pop())
      visit(on_the_way_.front().second);
  }
  bool empty() const { return on_the_way_.empty(); }

 private:
  std::int64_t cycles_;
  sim::Fifo<std::pair<std::int64_t, T>> on_the_way_;
};

}  // namespace tahoma::model
