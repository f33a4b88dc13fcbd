// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/list_scheduler.h"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

#include "frontend/nki/lower/order/dependences.h"
#include "frontend/nki/lower/order/memory_plan.h"
#include "frontend/nki/lower/order/ready_pool.h"
#include "frontend/nki/lower/order/reordered.h"
#include "model/base/error.h"

namespace tahoma::runtime::nki {

namespace {

// Entries of equal need that a queue examines before it passes over all of them: they differ in how long
// ahead of their turn they would hold memory. Bounds the time of a decision.
constexpr unsigned kTries = 4;

bool same_stationary(const Recorded& a, const Recorded& b) {
  return a.weights->src0 == b.weights->src0 && a.weights->src1 == b.weights->src1 &&
         a.weights->shape == b.weights->shape && a.operands.front().storage == b.operands.front().storage;
}

class ListScheduler {
 public:
  ListScheduler(const Trace& trace, const std::vector<isa::Queue>& queues, const Estimator& estimator,
                const Units& capacity)
      : trace_(trace),
        queue_of_(queues),
        plan_(trace, capacity),
        dependences_(trace, queues),
        followers_(dependences_),
        missing_(trace.entries.size()),
        need_(trace.entries.size()),
        is_ready_(trace.entries.size(), false) {
    for (std::uint32_t e = 0; e < trace.entries.size(); ++e)
      estimates_.push_back(estimator.of(trace.entries[e], queues[e]));
  }

  std::optional<std::vector<std::uint32_t>> order() {
    if (!plan_.is_feasible()) return std::nullopt;
    for (std::uint32_t e = 0; e < missing_.size(); ++e) {
      missing_[e] = static_cast<std::uint32_t>(dependences_.before(e).size());
      if (missing_[e] == 0) make_ready(e);
    }
    while (!is_done()) {
      while (start_all()) {
      }
      if (is_done()) break;
      TAHOMA_INVARIANT(!events_.empty(), "the next entry of a feasible order can always start");
      advance();
    }
    return order_;
  }

 private:
  bool is_done() const { return order_.size() == missing_.size(); }
  struct QueueState {
    ReadyPool ready;
    std::int64_t free = 0, generator_free = 0;
    bool changed = false;  // since nothing in `ready` could start
  };
  struct Event {
    std::int64_t time;
    std::uint32_t entry;
    bool complete;  // else: its queue is free
    bool operator>(const Event& o) const {
      return std::tie(time, entry, complete) > std::tie(o.time, o.entry, o.complete);
    }
  };

  QueueState& queue_of(std::uint32_t entry) { return queues_[static_cast<std::size_t>(queue_of_[entry])]; }

  void make_ready(std::uint32_t e) {
    is_ready_[e] = true;
    need_[e] = plan_.need_of(e);
    queue_of(e).ready.add(e, need_[e]);
    queue_of(e).changed = true;
  }

  // Starts what every free queue can start now. Returns whether any did.
  bool start_all() {
    bool any = false;
    for (QueueState& queue : queues_) {
      if (queue.free > now_ || !queue.changed) continue;
      const auto oldest = queue.ready.best(
          kTries, [&](std::uint32_t e, const Units& need) { return plan_.may_start(e, need); });
      // The next entry of the trace's order may be behind the ones examined.
      const std::uint32_t next = plan_.next();
      const bool next_starts = !oldest && next < missing_.size() && is_ready_[next] &&
                               &queue_of(next) == &queue && plan_.may_start(next, need_[next]);
      queue.changed = oldest || next_starts;
      if (!queue.changed) continue;
      start(oldest ? *oldest : next);
      any = true;
    }
    return any;
  }

  void start(std::uint32_t e) {
    QueueState& queue = queue_of(e);
    queue.ready.remove(e, need_[e]);
    is_ready_[e] = false;
    plan_.start(e, [&](std::uint32_t user) {
      if (!is_ready_[user]) return;
      queue_of(user).ready.remove(user, need_[user]);
      make_ready(user);
    });
    // The order has come nearer to the first entries of other tensors, and tensors may have had their last
    // use.
    for (QueueState& other : queues_) other.changed = true;
    order_.push_back(e);
    const Estimate& estimate = estimates_[e];
    queue.free = now_ + estimate.queue + (loads_weights(e) ? estimate.weights : 0);
    std::int64_t end = queue.free;
    if (estimate.generator > 0)
      end = queue.generator_free = std::max(queue.generator_free, end) + estimate.generator;
    if (estimate.dma > 0) end = dma_free_ = std::max(dma_free_, end) + estimate.dma;
    events_.push({queue.free, e, false});
    events_.push({end + estimate.latency, e, true});
  }

  bool loads_weights(std::uint32_t e) {
    const Recorded& entry = trace_.entries[e];
    if (!entry.weights) return false;
    const bool loads = !last_matmul_ || !same_stationary(*last_matmul_, entry);
    last_matmul_ = &entry;
    return loads;
  }

  // Advances to the next event, and processes all others of the same time.
  void advance() {
    now_ = events_.top().time;
    while (!events_.empty() && events_.top().time == now_) {
      const Event event = events_.top();
      events_.pop();
      if (!event.complete) continue;
      if (plan_.complete(event.entry))
        for (QueueState& queue : queues_) queue.changed = true;
      for (const std::uint32_t f : followers_.of(event.entry))
        if (--missing_[f] == 0) make_ready(f);
    }
  }

  const Trace& trace_;
  const std::vector<isa::Queue>& queue_of_;
  MemoryPlan plan_;
  Dependences dependences_;
  Followers followers_;
  std::vector<Estimate> estimates_;
  std::vector<std::uint32_t> missing_;  // entries that must complete before
  std::vector<Units> need_;             // of those that are ready
  std::vector<bool> is_ready_;
  std::array<QueueState, isa::kQueueCount> queues_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t now_ = 0, dma_free_ = 0;
  const Recorded* last_matmul_ = nullptr;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::optional<Trace> list_scheduled(const Trace& trace, const std::vector<isa::Queue>& queues,
                                    const Estimator& estimator, const Units& capacity) {
  if (!is_movable(trace)) return std::nullopt;
  const auto order = ListScheduler(trace, queues, estimator, capacity).order();
  if (!order) return std::nullopt;
  return reordered(trace, *order, queues);
}

}  // namespace tahoma::runtime::nki
