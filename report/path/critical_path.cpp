// SPDX-License-Identifier: Apache-2.0
#include "report/path/critical_path.h"

#include <algorithm>

#include "isa/core/stream.h"
#include "model/base/cause.h"
#include "model/base/error.h"

namespace tahoma::runtime {

using base::Duration, base::Time;

namespace {

// The stretches of an engine are consecutive from the start of the run, so their sum is where the last one
// ends.
Time end_of(std::span<const Duration> stretches) {
  Duration sum{0};
  for (const Duration stretch : stretches) sum += stretch;
  return sum;
}

Duration of(std::span<const Duration> times, base::StallReason reason) {
  return times.empty() ? Duration{0} : times[static_cast<std::size_t>(reason)];
}

// Scales `part` in the proportion of `amount` to `whole`.
Duration scaled(Duration part, Duration amount, Duration whole) {
  return {static_cast<std::int64_t>(base::Int128{part.fs} * amount.fs / whole.fs)};
}

}  // namespace

// Divides the time from `from` to `until`: consecutive stretches, each given with its end.
class CriticalPath::Layout {
 public:
  Layout(Time begin, Time from, Time until) : at_(begin), from_(from), until_(until) {}

  void until(Time end, PathPart part) { parts_[static_cast<std::size_t>(part)] += next(end); }
  void add(Duration time, PathPart part) { until(at_ + time, part); }
  // Data that move: the sums of the engines that pass them.
  void move(const Transfer& t) {
    const Duration time = next(t.moved), whole = t.busy + t.blocked + t.starved;
    if (time.fs == 0) return;
    const Duration blocked = whole.fs > 0 ? scaled(time, t.blocked, whole) : Duration{0},
                   starved = whole.fs > 0 ? scaled(time, t.starved, whole) : Duration{0};
    give(blocked, PathPart::kLink);
    give(starved, t.reads_far ? PathPart::kLink : PathPart::kMemory);
    give(time - blocked - starved, PathPart::kMove);
  }
  const PathParts& rest(PathPart part) {
    until(until_, part);
    return parts_;
  }

 private:
  void give(Duration time, PathPart part) { parts_[static_cast<std::size_t>(part)] += time; }
  // The part of the stretch that ends at `end` which lies between the limits.
  Duration next(Time end) {
    const Time low = std::max(at_, from_), high = std::min(end, until_);
    at_ = std::max(at_, end);
    return std::max(high - low, Duration{0});
  }

  Time at_, from_, until_;
  PathParts parts_{};
};

PathParts CriticalPath::parts_of(const Node& node, Time from, Time until) const {
  Layout layout(node.begin, from, until);
  layout.until(node.released, PathPart::kUnexplained);
  layout.add(node.handover, PathPart::kHandover);
  layout.add(node.rendezvous, PathPart::kRendezvous);
  layout.add(node.port, PathPart::kPort);
  const Transfer* t = transfer_of(node);
  if (t == nullptr) {
    layout.until(node.end, PathPart::kExecution);
    return layout.rest(PathPart::kHandover);
  }
  layout.until(t->rung, PathPart::kExecution);
  layout.until(t->issued - start_up_, PathPart::kDescriptors);
  layout.until(t->issued, PathPart::kMove);
  layout.move(*t);
  layout.until(std::min(t->moved + t->held, t->end), PathPart::kMemory);
  layout.until(t->end, PathPart::kMove);
  return layout.rest(t->writes_far ? PathPart::kLink : PathPart::kMove);
}

CriticalPath::CriticalPath(std::size_t cores, Duration start_up, std::size_t most)
    : start_up_(start_up), most_(most), latest_(cores * isa::kQueueCount), caused_(latest_.size()) {}

void CriticalPath::forget_the_older_half() {
  const std::size_t half = nodes_.size() / 2;
  nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(half));
  first_ += half;
  for (std::deque<Caused>& of_queue : caused_)
    while (!of_queue.empty() && of_queue.front().node < first_) of_queue.pop_front();
  for (; !transfers_.empty() && transfers_.front().node < first_; ++first_transfer_) transfers_.pop_front();
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
  using base::StallReason;
  Latest now;
  now.node = number;
  now.free = end_of(a.engine_time);
  now.waited = base::waited_for_semaphores(a.engine_time);
  now.handover = of(a.engine_time, StallReason::kHandover) + of(a.engine_time, StallReason::kDispatch);
  now.rendezvous = of(a.engine_time, StallReason::kWaitCore);
  now.port = of(a.engine_time, StallReason::kPortConflict);
  Node node;
  node.at = {a.core, a.queue, a.index};
  node.previous = latest.node;
  node.begin = latest.free;
  node.free = now.free;
  node.end = std::max(node.free, a.complete);
  node.released = node.begin + (now.waited - latest.waited);
  if (now.waited > latest.waited) node.released_by = a.released_by;
  node.handover = now.handover - latest.handover;
  node.rendezvous = now.rendezvous - latest.rendezvous;
  node.port = now.port - latest.port;
  nodes_.push_back(node);
  latest = now;
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
  node.transfer = first_transfer_ + transfers_.size();
  const Time start = std::min(a.start, a.end);
  transfers_.push_back({.node = number,
                        .rung = a.rung,
                        .issued = std::min(a.issued, start),
                        .start = start,
                        .moved = a.read_done,
                        .end = a.end,
                        .busy = a.busy,
                        .blocked = a.blocked,
                        .starved = a.starved,
                        .held = a.held,
                        .reads_far = a.reads_far,
                        .writes_far = a.writes_far,
                        .behind = queued ? ring.node : kNone});
  if (a.end >= ring.end) ring = {number, a.end};
  shortest_start_ = std::min(shortest_start_, start - a.rung);
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
Time CriticalPath::left_the_queue(const Transfer& transfer) const {
  return std::max(transfer.rung, transfer.start - shortest_start_);
}

// Where the part of a node that ends at `until` begins, and where the path goes on. Nodes on the path have
// falling numbers, because an instruction is recorded after all that it depends on.
CriticalPath::Step CriticalPath::before(Number number, Time until) const {
  const Node& node = this->node(number);
  if (const Transfer* t = transfer_of(node); t != nullptr && t->behind != kNone) {
    const Time from = left_the_queue(*t);
    if (from > t->rung && from < until) return {from, t->behind};
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
  const auto outside = [&](Time from, Time to) {
    PathStep step{std::nullopt, from, to, {}};
    step.parts[static_cast<std::size_t>(PathPart::kUnexplained)] = step.time();
    visit(step);
  };
  if (has(at) && node(at).end < end) {
    outside(node(at).end, end);
    until = node(at).end;
  }
  while (has(at) && until.fs > 0) {
    const Step step = before(at, until);
    const Time from = std::min(step.from, until);
    if (from < until) visit({node(at).at, from, until, parts_of(node(at), from, until)});
    until = from;
    at = step.node;
  }
  if (until.fs > 0) outside(Time{0}, until);
}

}  // namespace tahoma::runtime
