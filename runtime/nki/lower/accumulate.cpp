// SPDX-License-Identifier: Apache-2.0
#include "runtime/nki/lower/accumulate.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/nki/record/view.h"

namespace tahoma::runtime::nki {

namespace {

std::uint64_t common_bytes(const Region& a, const Region& b) {
  if (!a.overlaps(b)) return 0;
  const std::uint64_t rows = std::min(a.row + a.rows, b.row + b.rows) - std::max(a.row, b.row);
  const std::uint64_t bytes = std::min(a.byte + a.bytes, b.byte + b.bytes) - std::max(a.byte, b.byte);
  return rows * bytes;
}

}  // namespace

AccumulationGroups::Decision AccumulationGroups::decide(std::uint32_t storage, const Region& dst,
                                                        std::optional<bool> asked) const {
  Decision decision;
  std::uint64_t held = 0;
  for (const Group& group : groups_) {
    if (!group.region.overlaps(dst)) continue;
    if (group.storage != storage) continue;  // what another tensor left in these bytes is over
    if (group.filled) {
      decision.over_fill = true;
      continue;
    }
    held += common_bytes(group.region, dst);
    if (!group.read && group.region == dst) decision.continued.push_back(group.last);
  }
  decision.accumulate = asked.value_or(held > 0);
  if (!asked && held > 0 && held < std::uint64_t{dst.rows} * dst.bytes)
    refuse("E-NKI-021",
           fmt::format(
               "matmul: {} of {} bytes of its destination hold the results of earlier matmuls; expected all "
               "of them (it adds to these) or none (it overwrites)",
               held, std::uint64_t{dst.rows} * dst.bytes));
  if (!decision.accumulate) decision.continued.clear();
  return decision;
}

void AccumulationGroups::matmul(std::uint32_t storage, const Region& dst, bool accumulate,
                                std::uint32_t operation) {
  std::erase_if(groups_, [&](const Group& g) {
    return g.region.overlaps(dst) && (g.storage != storage || g.filled || !accumulate || g.region == dst);
  });
  const bool inside = std::any_of(groups_.begin(), groups_.end(), [&](const Group& g) {
    return g.storage == storage && g.region.overlaps(dst);
  });
  if (!inside) groups_.push_back({storage, dst, operation, false, false});
}

void AccumulationGroups::write(std::uint32_t storage, const Region& region) {
  std::erase_if(groups_, [&](const Group& g) { return g.region.overlaps(region); });
  groups_.push_back({storage, region, 0, false, true});
}

void AccumulationGroups::read(const Region& region) {
  for (Group& group : groups_)
    if (group.region.overlaps(region)) group.read = true;
}

}  // namespace tahoma::runtime::nki
