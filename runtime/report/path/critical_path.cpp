// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/path/critical_path.h"

#include <algorithm>

#include "isa/core/stream.h"
#include "model/base/cause.h"
#include "model/base/error.h"

namespace tahoma::runtime {

using base::Duration, base::Time;

namespace {

// The stretches of an engine are consecutive from the start of the run, so their sum is where the last one ends.
Time end_of(std::span<const Duration> stretches) {
  Duration sum{0};
  for (const Duration stretch : stretches) sum += stretch;
  return sum;
}

}  // namespace

CriticalPath::CriticalPath(std::size_t cores, std::size_t most)
    : most_(most), latest_(cores * isa::kQueueCount), caused_(latest_.size()) {}

void CriticalPath::forget_the_older_half() {
  const std::size_t half = nodes_.size() / 2;
  nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(half));
  first_ += half;
  for (std::deque<Caused>& of_queue : caused_)
    while (!of_queue.empty() && of_queue.front().node < first_) of_queue.pop_front();
}

CriticalPath::Number CriticalPath::number_of(std::uint64_t cause) const {
  if (cause == 0) return kNone;
  const std::deque<Caused>& known = caused_.at(base::queue_of_cause(cause));
  const auto at = std::lower_bound(known.begin(), known.end(), cause,
                                   [](const Caused& c, std::uint64_t wanted) { return c.cause < wanted; });
  return at != known.end() && at->cause == cause ? at->node : kNone;
}

void CriticalPath::instruction(const base::InstructionActivity& a) {
  if (nodes_.size() >= most_) forget_the_older_half();
  const Number number = first_ + nodes_.size();
  Latest& latest = latest_[a.core * isa::kQueueCount + a.queue];
  const Duration waited = base::waited_for_semaphores(a.engine_time);
  Node node;
  node.at = {a.core, a.queue, a.index};
  node.previous = latest.node;
  node.begin = latest.free;
  node.free = end_of(a.engine_time);
  node.end = std::max(node.free, a.complete);
  if (waited > latest.waited && a.released_by != 0) {
    node.released = node.begin + (waited - latest.waited);
    node.released_by = a.released_by;
  }
  nodes_.push_back(node);
  latest = {number, node.free, waited};
  if (a.cause == 0) return;
  std::deque<Caused>& known = caused_.at(base::queue_of_cause(a.cause));
  TAHOMA_INVARIANT(known.empty() || known.back().cause < a.cause,
                   "a queue reports its instructions in order");
  known.push_back({a.cause, number});
}

// Transfers are reported when they are complete.
void CriticalPath::transfer(const base::TransferActivity& a) {
  const Number number = number_of(a.cause);
  if (number == kNone) return;
  Node& node = this->node(number);
  node.end = std::max(node.end, a.end);
  constexpr std::uint64_t kRings = 256;
  Ring& ring = rings_[a.core * kRings + a.ring];
  const bool queued = ring.node != kNone && ring.node < number && ring.end > a.rung;
  node.rung = a.rung;
  node.start = std::min(a.start, a.end);
  node.behind = queued ? ring.node : kNone;
  if (a.end >= ring.end) ring = {number, a.end};
  shortest_start_ = std::min(shortest_start_, node.start - a.rung);
}

std::optional<InstructionPlace> CriticalPath::raiser(std::uint64_t cause) const {
  const Number number = number_of(cause);
  if (number == kNone) return std::nullopt;
  return node(number).at;
}

CriticalPath::Number CriticalPath::last() const {
  const auto latest = std::max_element(nodes_.begin(), nodes_.end(),
                                       [](const Node& a, const Node& b) { return a.end < b.end; });
  return latest == nodes_.end() ? kNone : first_ + static_cast<Number>(latest - nodes_.begin());
}

// A transfer that starts later after its doorbell than others do stood behind another one for the difference.
Time CriticalPath::left_the_queue(const Node& node) const {
  return std::max(node.rung, node.start - shortest_start_);
}

// Where the part of a node that ends at `until` begins, and where the path goes on. Nodes on the path have falling numbers, because
// an instruction is recorded after all that it depends on.
CriticalPath::Step CriticalPath::before(Number number, Time until) const {
  const Node& node = this->node(number);
  if (node.behind != kNone) {
    const Time from = left_the_queue(node);
    if (from > node.rung && from < until) return {from, node.behind};
  }
  if (node.released_by != 0) {
    const Number raised = number_of(node.released_by);
    if (raised != kNone && raised < number) return {node.released, raised};
  }
  return {node.begin, node.previous};
}

void CriticalPath::follow(Time end, const std::function<void(const PathStep&)>& visit) const {
  Number at = last();
  Time until = end;
  if (has(at) && node(at).end < end) {
    visit({std::nullopt, node(at).end, end});
    until = node(at).end;
  }
  while (has(at) && until.fs > 0) {
    const Step step = before(at, until);
    const Time from = std::min(step.from, until);
    if (from < until) visit({node(at).at, from, until});
    until = from;
    at = step.node;
  }
  if (until.fs > 0) visit({std::nullopt, Time{0}, until});
}

}  // namespace tahoma::runtime
