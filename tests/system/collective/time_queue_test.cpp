// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/time_queue.h"

#include <catch2/catch.hpp>
#include <queue>
#include <random>
#include <tuple>

using namespace tahoma;
using runtime::collective::TimeQueue;

namespace {

// Events by time and number, one by one.
class Reference {
 public:
  bool empty() const { return events_.empty(); }
  void add(base::Time when, int event) { events_.push({when.fs, number_++, event}); }
  std::pair<base::Time, int> take() {
    const auto [when, number, event] = events_.top();
    events_.pop();
    return {base::Time{when}, event};
  }

 private:
  using Event = std::tuple<std::int64_t, int, int>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  int number_ = 0;
};

}  // namespace

TEST_CASE("time queue: events come by time, and those of one time in the order in which they were added",
          "[collective]") {
  std::mt19937 random(1);
  TimeQueue<int> queue;
  Reference reference;
  int added = 0;
  const auto add = [&](std::int64_t from) {
    const base::Time when{from + static_cast<std::int64_t>(random() % 5)};
    queue.add(when, added);
    reference.add(when, added++);
  };
  for (int n = 0; n < 20; ++n) add(0);
  while (!reference.empty()) {
    REQUIRE_FALSE(queue.empty());
    const auto expected = reference.take();
    CHECK(queue.take() == expected);
    // Also at the time of the event that was taken, and before it.
    for (auto more = random() % 3; more > 0 && added < 500; --more) add(expected.first.fs - 1);
  }
  CHECK(queue.empty());
}
