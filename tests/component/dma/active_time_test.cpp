// SPDX-License-Identifier: Apache-2.0
// Compares active time with the length of the union of the intervals of all packets.
#include "model/engine/dma/active_time.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace tahoma;
using base::Time;

TEST_CASE("active time: it is the union of the packets in flight", "[dma]") {
  constexpr std::int64_t kSpan = 400;
  std::mt19937 random(1);
  for (int repetition = 0; repetition < 200; ++repetition) {
    // Issues are in order of time. Each read is reported when its time is known: here at once or at its end.
    struct Event {
      std::int64_t at;
      bool issue;
      std::int64_t until;
    };
    std::vector<Event> events;
    std::vector<bool> busy(kSpan + 40);
    for (std::int64_t at = 0; at < kSpan; at += 1 + static_cast<std::int64_t>(random() % 30)) {
      const std::int64_t until = at + 1 + static_cast<std::int64_t>(random() % 30);
      events.push_back({at, true, until});
      events.push_back({random() % 2 == 0 ? at : until, false, until});
      std::fill(busy.begin() + at, busy.begin() + until, true);
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    model::ActiveTime active;
    for (const Event& e : events) e.issue ? active.issued(Time{e.at}) : active.read(Time{e.until});
    CHECK(active.total().fs == std::count(busy.begin(), busy.end(), true));
  }
}
