// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/schedule/slots.h"

#include <algorithm>

namespace tahoma::runtime::collective {

bool given_back_alike(const Itinerary& itinerary, const Schedule& schedule, const Box& box) {
  const std::vector<std::uint32_t>& run = itinerary.of_rank[box.owner];
  return std::all_of(run.begin(), run.end(), [&](std::uint32_t hop) {
    const std::uint32_t arrival = itinerary.hops[hop].gives_back;
    return arrival == kNone || &itinerary.boxes[itinerary.hops[arrival].box] != &box ||
           schedule.transfers[arrival].chunks == schedule.transfers[hop].chunks;
  });
}

BoxSlots::BoxSlots(const Box& box, const Schedule& schedule, std::uint32_t pieces, bool reuse,
                   const TakesPlace& takes_place)
    : box_(box), credited_(box.credited), pieces_(pieces), number_(box.hops.size() * pieces) {
  struct Sent {
    std::uint32_t tick, round, index;
  };
  std::vector<Sent> sent;
  for (std::uint32_t i = 0; i < number_.size(); ++i) {
    const std::uint32_t hop = box.hops[i / pieces], piece = i % pieces;
    if (!takes_place(hop, piece)) continue;
    const std::uint32_t round = schedule.transfers[hop].round;
    sent.push_back({round + piece, round, i});
  }
  arrivals_ = static_cast<std::uint32_t>(sent.size());
  if (!credited_) {
    for (std::uint32_t n = 0; n < arrivals_; ++n) number_[sent[n].index] = n;
    slots_ = arrivals_;
    counters_ = pieces_;
    return;
  }
  std::sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) {
    return a.tick != b.tick ? a.tick < b.tick : a.round > b.round;
  });
  for (std::uint32_t n = 0; n < arrivals_; ++n) number_[sent[n].index] = n;
  // A slot taken in tick t is returned in tick t + lifetime, before anything is sent in the tick after that.
  slots_ = reuse ? 0 : arrivals_;
  for (std::uint32_t n = 0, last = 0; n < arrivals_; ++n) {
    while (last < arrivals_ && sent[last].tick <= sent[n].tick + box.lifetime) ++last;
    slots_ = std::max(slots_, last - n);
  }
  counters_ = slots_;
}

std::size_t BoxSlots::place_of(std::uint32_t hop) const {
  // Hops are in ascending order.
  return static_cast<std::size_t>(std::lower_bound(box_.hops.begin(), box_.hops.end(), hop) -
                                  box_.hops.begin());
}

std::uint32_t BoxSlots::number(std::uint32_t hop, std::uint32_t piece) const {
  return number_[place_of(hop) * pieces_ + piece];
}

}  // namespace tahoma::runtime::collective
