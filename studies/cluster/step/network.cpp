// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/step/network.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tahoma::runtime::cluster {

namespace {

double rate(base::Bandwidth bandwidth) {
  return bandwidth.ideal ? std::numeric_limits<double>::infinity()
                         : static_cast<double>(bandwidth.bytes_per_second);
}

double rounds(double members) { return std::ceil(std::log2(members)); }

double fold_seconds(const FleetParams& fleet, double members, double bytes) {
  return members <= 1 ? 0 : fleet.fold.seconds() + bytes / members / rate(fleet.fold_rate);
}

}  // namespace

LevelRate level_of(const FleetParams& f, const ChipGroup& group) {
  const double span = group.members * group.distance;
  const auto within = [&](std::uint64_t chips) { return span <= static_cast<double>(chips); };
  if (within(f.domain)) return {f.domain_latency.seconds(), rate(f.domain_rate)};
  if (within(f.rack)) return {f.rack_latency.seconds(), rate(f.efa_rate)};
  if (within(f.building)) return {f.spine_latency.seconds(), rate(f.efa_rate) / f.oversubscription};
  return {f.building_latency.seconds(),
          std::min(rate(f.building_rate), rate(f.efa_rate) / f.oversubscription)};
}

double ring_seconds(const LevelRate& level, double n, double bytes) {
  return n <= 1 ? 0 : (n - 1) * level.seconds + (n - 1) / n * bytes / level.bytes_per_second;
}

double recursive_seconds(const LevelRate& level, double n, double bytes) {
  return n <= 1 ? 0 : rounds(n) * level.seconds + (n - 1) / n * bytes / level.bytes_per_second;
}

double tree_all_reduce_seconds(const LevelRate& level, double n, double bytes) {
  return n <= 1 ? 0 : 2 * rounds(n) * level.seconds + 2 * bytes / level.bytes_per_second;
}

double reduce_scatter_seconds(const FleetParams& fleet, const ChipGroup& group, double bytes) {
  return all_gather_seconds(fleet, group, bytes) + fold_seconds(fleet, group.members, bytes);
}

double all_gather_seconds(const FleetParams& fleet, const ChipGroup& group, double bytes) {
  return recursive_seconds(level_of(fleet, group), group.members, bytes);
}

double all_reduce_seconds(const FleetParams& fleet, const ChipGroup& group, double bytes) {
  return std::min(2 * all_gather_seconds(fleet, group, bytes),
                  tree_all_reduce_seconds(level_of(fleet, group), group.members, bytes)) +
         fold_seconds(fleet, group.members, bytes);
}

double all_to_all_seconds(const FleetParams& fleet, const ChipGroup& group, double bytes) {
  const double n = group.members;
  const LevelRate level = level_of(fleet, group);
  return n <= 1 ? 0 : (n - 1) / n * (level.seconds + bytes / level.bytes_per_second);
}

double send_seconds(const FleetParams& fleet, double distance, double bytes) {
  const LevelRate level = level_of(fleet, {2, distance});
  return level.seconds + bytes / level.bytes_per_second;
}

}  // namespace tahoma::runtime::cluster
