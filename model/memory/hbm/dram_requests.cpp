// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/dram_requests.h"

#include <algorithm>
#include <tuple>

namespace tahoma::model {

std::uint32_t DramRequests::keep(const DramRequest& request) {
  if (free_.empty()) {
    requests_.push_back(request);
    return static_cast<std::uint32_t>(requests_.size() - 1);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  requests_[number] = request;
  return number;
}

void DramRequests::segment_over(const dram::Done& done) {
  DramRequest& r = requests_[done.tag];
  r.first = std::min(r.first, done.first);
  r.last = std::max(r.last, done.last);
  if (--r.left == 0) over_.push_back(done.tag);
}

void DramRequests::sort_over() {
  const auto rank = [this](std::uint32_t number) {
    const sim::PacketInfo& info = sim::info_of(*requests_[number].payload);
    return std::make_tuple(requests_[number].last, info.source_core, info.engine);
  };
  std::sort(over_.begin(), over_.end(), [&](auto a, auto b) { return rank(a) < rank(b); });
}

}  // namespace tahoma::model
