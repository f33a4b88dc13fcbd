// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/path/critical_path.h"

#include <algorithm>

#include "isa/core/stream.h"

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

CriticalPath::CriticalPath(std::size_t cores) : latest_(cores * isa::kQueueCount) {}

void CriticalPath::instruction(const base::InstructionActivity& a) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  Latest& latest = latest_[a.core * isa::kQueueCount + a.queue];
  const Duration waited = base::waited_for_semaphores(a.engine_time);
  Node node;
  node.at = {a.core, a.queue, a.index};
  node.previous = latest.node;
  if (latest.node != kNone) node.begin = nodes_[latest.node].free;
  node.free = end_of(a.engine_time);
  node.end = std::max(node.free, a.complete);
  if (waited > latest.waited && a.released_by != 0) {
    node.released = node.begin + (waited - latest.waited);
    node.released_by = a.released_by;
  }
  nodes_.push_back(node);
  latest = {number, waited};
  if (a.cause != 0) nodes_by_cause_[a.cause] = number;
}

// Transfers are reported when they are complete.
void CriticalPath::transfer(const base::TransferActivity& a) {
  const auto known = nodes_by_cause_.find(a.cause);
  if (known == nodes_by_cause_.end()) return;
  const std::uint32_t number = known->second;
  Node& node = nodes_[number];
  node.end = std::max(node.end, a.end);
  node.transfer = static_cast<std::uint32_t>(transfers_.size());
  constexpr std::uint64_t kRings = 256;
  Ring& ring = rings_[a.core * kRings + a.ring];
  const bool queued = ring.node != kNone && ring.node < number && ring.end > a.rung;
  transfers_.push_back({a.rung, std::min(a.start, a.end), queued ? ring.node : kNone});
  if (a.end >= ring.end) ring = {number, a.end};
  shortest_start_ = std::min(shortest_start_, transfers_.back().start - a.rung);
}

std::optional<InstructionPlace> CriticalPath::raiser(std::uint64_t cause) const {
  const auto known = nodes_by_cause_.find(cause);
  if (cause == 0 || known == nodes_by_cause_.end()) return std::nullopt;
  return nodes_[known->second].at;
}

std::uint32_t CriticalPath::last() const {
  const auto latest = std::max_element(nodes_.begin(), nodes_.end(),
                                       [](const Node& a, const Node& b) { return a.end < b.end; });
  return latest == nodes_.end() ? kNone : static_cast<std::uint32_t>(latest - nodes_.begin());
}

// A transfer that starts later after its doorbell than others do stood behind another one for the difference.
Time CriticalPath::left_the_queue(const Transfer& transfer) const {
  return std::max(transfer.rung, transfer.start - shortest_start_);
}

// Where the part of a node that ends at `until` begins, and where the path goes on. Nodes on the path have falling numbers, because
// an instruction is recorded after all that it depends on.
CriticalPath::Step CriticalPath::before(std::uint32_t number, Time until) const {
  const Node& node = nodes_[number];
  if (node.transfer != kNone) {
    const Transfer& transfer = transfers_[node.transfer];
    const Time from = left_the_queue(transfer);
    if (transfer.before != kNone && from > transfer.rung && from < until) return {from, transfer.before};
  }
  if (node.released_by != 0) {
    const auto raised = nodes_by_cause_.find(node.released_by);
    if (raised != nodes_by_cause_.end() && raised->second < number) return {node.released, raised->second};
  }
  return {node.begin, node.previous};
}

void CriticalPath::follow(Time end, const std::function<void(const PathStep&)>& visit) const {
  std::uint32_t at = last();
  Time until = end;
  if (at != kNone && nodes_[at].end < end) {
    visit({std::nullopt, nodes_[at].end, end});
    until = nodes_[at].end;
  }
  while (at != kNone && until.fs > 0) {
    const Step step = before(at, until);
    const Time from = std::min(step.from, until);
    if (from < until) visit({nodes_[at].at, from, until});
    until = from;
    at = step.node;
  }
  if (until.fs > 0) visit({std::nullopt, Time{0}, until});
}

}  // namespace tahoma::runtime
