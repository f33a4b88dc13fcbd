// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/memory_profile.h"

#include <algorithm>

namespace tahoma::runtime::nki {

namespace {

constexpr std::int64_t kNothing = INT64_MIN / 2;  // less than anything, also when nodes add to it

}  // namespace

MemoryProfile::MemoryProfile(std::size_t entries) {
  while (leaves_ < entries) leaves_ *= 2;
  nodes_.resize(2 * leaves_);
}

void MemoryProfile::add(std::size_t first, std::size_t end, std::int64_t units) {
  if (first < end && units != 0) add(1, 0, leaves_, first, end, units);
}

std::int64_t MemoryProfile::most(std::size_t first, std::size_t end) const {
  return first < end ? most(1, 0, leaves_, first, end) : 0;
}

void MemoryProfile::add(std::size_t node, std::size_t low, std::size_t high, std::size_t first,
                        std::size_t end, std::int64_t units) {
  if (end <= low || high <= first) return;
  if (first <= low && high <= end) {
    nodes_[node].more += units;
    nodes_[node].most += units;
    return;
  }
  const std::size_t middle = (low + high) / 2;
  add(2 * node, low, middle, first, end, units);
  add(2 * node + 1, middle, high, first, end, units);
  nodes_[node].most = nodes_[node].more + std::max(nodes_[2 * node].most, nodes_[2 * node + 1].most);
}

std::int64_t MemoryProfile::most(std::size_t node, std::size_t low, std::size_t high, std::size_t first,
                                 std::size_t end) const {
  if (end <= low || high <= first) return kNothing;
  if (first <= low && high <= end) return nodes_[node].most;
  const std::size_t middle = (low + high) / 2;
  return nodes_[node].more +
         std::max(most(2 * node, low, middle, first, end), most(2 * node + 1, middle, high, first, end));
}

}  // namespace tahoma::runtime::nki
