// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/accumulate.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/nki/lower/rectangles.h"
#include "frontend/nki/record/view.h"

namespace tahoma::runtime::nki {

namespace {

std::uint64_t bytes_of(const std::vector<Region>& rectangles) {
  std::uint64_t bytes = 0;
  for (const Region& r : rectangles) bytes += area_of(r);
  return bytes;
}

// The group no longer holds the bytes of `written`.
void forget_written(AccumulationGroups::Group& group, const std::vector<Region>& written) {
  if (common_bytes(group.left, written) == 0) return;
  group.cut = true;
  group.left = without(group.left, written);
}

}  // namespace

AccumulationGroups::Decision AccumulationGroups::choose_accumulation(std::uint32_t storage, const Region& dst,
                                                                     std::optional<bool> asked) const {
  Decision decision;
  const std::vector<Region> wanted = rectangles_of(dst);
  const std::uint64_t all = bytes_of(wanted);
  std::uint64_t held = 0, zeros = 0;
  for (const Group& group : groups_) {
    if (group.storage != storage) continue;  // another tensor's results in these bytes do not count
    const std::uint64_t bytes = common_bytes(group.left, wanted);
    if (bytes == 0) continue;
    if (group.filled) {
      decision.over_fill = true;
      if (group.zeros) zeros += bytes;
      continue;
    }
    held += bytes;
    if (!group.read && !group.cut && group.region == dst) decision.continued.push_back(group.last);
  }
  decision.accumulate = asked.value_or(held > 0) && zeros < all;
  if (!asked && held > 0 && held < all)
    refuse("E-NKI-021",
           fmt::format(
               "matmul: {} of {} bytes of its destination hold the results of earlier matmuls; expected all "
               "of them (it adds to these) or none (it overwrites)",
               held, all));
  if (!decision.accumulate) decision.continued.clear();
  return decision;
}

void AccumulationGroups::matmul(std::uint32_t storage, const Region& dst, bool accumulate,
                                std::uint32_t operation) {
  const std::vector<Region> written = rectangles_of(dst);
  std::uint64_t held = 0;
  bool same = false;
  for (const Group& group : groups_)
    if (group.storage == storage && !group.filled) {
      held += common_bytes(group.left, written);
      same = same || (group.region == dst && !group.cut);
    }
  // A matmul that adds to a part of other groups, or to several, does not replace them.
  const bool inside = accumulate && !same && held == bytes_of(written);
  if (!inside) replace({.storage = storage, .region = dst, .last = operation});
}

void AccumulationGroups::write(std::uint32_t storage, const Region& region, bool zeros) {
  replace({.storage = storage, .region = region, .filled = true, .zeros = zeros});
}

void AccumulationGroups::replace(Group group) {
  group.left = rectangles_of(group.region);
  const auto taken = [&](const Group& g) {
    return g.storage != group.storage && common_bytes(g.left, group.left) > 0;
  };
  std::erase_if(groups_, taken);
  for (Group& earlier : groups_) forget_written(earlier, group.left);
  std::erase_if(groups_, [](const Group& g) { return g.left.empty(); });
  groups_.push_back(std::move(group));
}

void AccumulationGroups::read(const Region& region) {
  for (Group& group : groups_)
    if (group.region.overlaps(region)) group.read = true;
}

}  // namespace tahoma::runtime::nki
