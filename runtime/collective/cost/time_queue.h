// SPDX-License-Identifier: Apache-2.0
// Events in the order of their times, those of one time in the order in which they were added. Ranks that do
// the same have many events at the same times, so the times are kept in order and not the events.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "model/base/units.h"

namespace tahoma::runtime::collective {

template <class Event>
class TimeQueue {
 public:
  TimeQueue() = default;
  TimeQueue(const TimeQueue&) = delete;
  TimeQueue& operator=(const TimeQueue&) = delete;

  bool empty() const { return by_time_.empty(); }

  void add(base::Time when, const Event& event) {
    if (latest_ == by_time_.end() || latest_->first != when) latest_ = of_time(when);
    latest_->second.events.push_back(event);
  }

  // Removes and returns the next event, with its time. The queue must not be empty.
  std::pair<base::Time, Event> take() {
    const auto first = by_time_.begin();
    Bucket& bucket = first->second;
    const std::pair<base::Time, Event> next{first->first, bucket.events[bucket.taken++]};
    if (bucket.taken == bucket.events.size()) drop(first);
    return next;
  }

 private:
  struct Bucket {
    std::vector<Event> events;
    std::size_t taken = 0;
  };
  using Buckets = std::map<base::Time, Bucket>;

  typename Buckets::iterator of_time(base::Time when) {
    const auto at = by_time_.lower_bound(when);
    if (at != by_time_.end() && at->first == when) return at;
    if (spare_.empty()) return by_time_.try_emplace(at, when);
    auto node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = when;
    return by_time_.insert(at, std::move(node));
  }

  void drop(typename Buckets::iterator bucket) {
    if (latest_ == bucket) latest_ = by_time_.end();
    spare_.push_back(by_time_.extract(bucket));
    spare_.back().mapped().events.clear();
    spare_.back().mapped().taken = 0;
  }

  Buckets by_time_;
  typename Buckets::iterator latest_ = by_time_.end();  // that was added to
  std::vector<typename Buckets::node_type> spare_;      // keep their capacity
};

}  // namespace tahoma::runtime::collective
