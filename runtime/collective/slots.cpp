// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/slots.h"

#include <algorithm>

namespace tahoma::runtime::collective {

BoxSlots::BoxSlots(const Box& box, const Schedule& schedule, std::uint32_t pieces, bool reuse)
    : box_(box),
      credited_(box.credited),
      pieces_(pieces),
      arrivals_(static_cast<std::uint32_t>(box.hops.size()) * pieces),
      number_(arrivals_) {
  if (!credited_) {
    for (std::uint32_t i = 0; i < arrivals_; ++i) number_[i] = i;
    slots_ = arrivals_;
    counters_ = pieces_;
    return;
  }
  struct Sent {
    std::uint32_t tick, round, index;
  };
  std::vector<Sent> sent;
  for (std::uint32_t i = 0; i < arrivals_; ++i) {
    const std::uint32_t round = schedule.transfers[box.hops[i / pieces]].round;
    sent.push_back({round + i % pieces, round, i});
  }
  std::sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) {
    return a.tick != b.tick ? a.tick < b.tick : a.round > b.round;
  });
  for (std::uint32_t n = 0; n < arrivals_; ++n) number_[sent[n].index] = n;
  // A slot taken in tick t is given back in tick t + lifetime, before anything is sent in the one behind.
  slots_ = reuse ? 0 : arrivals_;
  for (std::uint32_t n = 0, last = 0; n < arrivals_; ++n) {
    while (last < arrivals_ && sent[last].tick <= sent[n].tick + box.lifetime) ++last;
    slots_ = std::max(slots_, last - n);
  }
  counters_ = slots_;
}

std::size_t BoxSlots::place_of(std::uint32_t hop) const {
  // Hops stand in ascending order.
  return static_cast<std::size_t>(std::lower_bound(box_.hops.begin(), box_.hops.end(), hop) -
                                  box_.hops.begin());
}

std::uint32_t BoxSlots::number(std::uint32_t hop, std::uint32_t piece) const {
  return number_[place_of(hop) * pieces_ + piece];
}

}  // namespace tahoma::runtime::collective
