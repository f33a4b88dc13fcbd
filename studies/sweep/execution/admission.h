// SPDX-License-Identifier: Apache-2.0
// Decides which point may start while others run, so that together they never need more memory than is
// available. The need of a point is what the sweep specifies, or the largest peak of its workload so far plus
// a fifth; until the first point of a workload has ended, its need is unknown, so that point runs alone. A
// point that needs more memory than is available also runs alone: it may fail, but the others do not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/base/units.h"

namespace tahoma::runtime {

class Admission {
 public:
  // `each` is the need of every point; 0 derives it from the workload's peaks.
  Admission(base::Bytes memory, std::size_t jobs, base::Bytes each)
      : memory_(memory.count), jobs_(std::max<std::size_t>(1, jobs)), each_(each.count) {}

  bool may_start(const std::string& workload) const {
    if (running_ == 0) return true;
    const auto need = need_of(workload);
    return running_ < jobs_ && need && *need <= left();
  }
  // Reserves the point's memory until end().
  std::uint64_t start(const std::string& workload) {
    const std::uint64_t part = need_of(workload).value_or(left());
    ++running_;
    taken_ += part;
    return part;
  }
  void end(const std::string& workload, std::uint64_t part, std::optional<std::uint64_t> peak) {
    --running_;
    taken_ -= part;
    if (peak) peaks_[workload] = std::max(peaks_[workload], *peak);
  }
  std::size_t running() const { return running_; }

 private:
  std::uint64_t left() const { return memory_ - std::min(memory_, taken_); }
  std::optional<std::uint64_t> need_of(const std::string& workload) const {
    if (each_ > 0) return each_;
    const auto peak = peaks_.find(workload);
    if (peak == peaks_.end()) return std::nullopt;
    return peak->second + peak->second / 5;
  }

  std::uint64_t memory_;
  std::size_t jobs_;
  std::uint64_t each_;
  std::size_t running_ = 0;
  std::uint64_t taken_ = 0;
  std::map<std::string, std::uint64_t> peaks_;
};

}  // namespace tahoma::runtime
