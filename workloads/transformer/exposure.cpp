// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/exposure.h"

#include <algorithm>

namespace tahoma::workloads {

namespace {

using Interval = std::pair<base::Time, base::Time>;

bool computes(std::uint8_t queue) {
  const auto q = static_cast<isa::Queue>(queue);
  return q == isa::Queue::kTensor || q == isa::Queue::kVector || q == isa::Queue::kScalar ||
         q == isa::Queue::kGpSimd;
}

// Sorts and merges the intervals.
std::vector<Interval> united(std::vector<Interval> all) {
  std::sort(all.begin(), all.end());
  std::vector<Interval> result;
  for (const Interval& one : all)
    if (!result.empty() && one.first <= result.back().second)
      result.back().second = std::max(result.back().second, one.second);
    else
      result.push_back(one);
  return result;
}

base::Duration length(const std::vector<Interval>& intervals) {
  base::Duration sum{0};
  for (const auto& [start, end] : intervals) sum.fs += (end - start).fs;
  return sum;
}

}  // namespace

void Exposure::instruction(const base::InstructionActivity& a) {
  if (!computes(a.queue) || a.busy.fs == 0) return;
  Intervals& busy = cores_[a.core].busy.at(a.queue);
  if (!busy.empty() && a.start >= busy.back().first && a.start <= busy.back().second)
    busy.back().second = std::max(busy.back().second, a.complete);
  else
    busy.emplace_back(a.start, a.complete);
}

void Exposure::collective(std::uint32_t core, base::Time start, base::Time end) {
  if (end > start) cores_[core].collectives.emplace_back(start, end);
}

// Time in which engines or collectives are active, minus the time in which engines are.
base::Duration Exposure::exposed(const Core& core) {
  Intervals busy;
  for (const Intervals& queue : core.busy) busy.insert(busy.end(), queue.begin(), queue.end());
  const base::Duration computing = length(united(busy));
  busy.insert(busy.end(), core.collectives.begin(), core.collectives.end());
  return {length(united(std::move(busy))).fs - computing.fs};
}

base::Duration Exposure::exposed() const {
  std::int64_t sum = 0, cores = 0;
  for (const auto& [number, core] : cores_) {
    if (std::all_of(core.busy.begin(), core.busy.end(), [](const Intervals& i) { return i.empty(); }))
      continue;
    sum += static_cast<std::int64_t>(exposed(core).fs);
    ++cores;
  }
  return {cores == 0 ? 0 : sum / cores};
}

}  // namespace tahoma::workloads
