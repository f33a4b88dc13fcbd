// SPDX-License-Identifier: Apache-2.0
// Time of a transfer and of a collective between chips of a fleet.
//
// The levels are UltraServer, rack, spine and building. A group of chips at a distance (the number of chips
// between two neighbours of the group) spans distance x members chips, and the level that holds this span
// gives rate and latency. Rails: each chip sends through its own adapter to its peers of the same rail, so
// that groups do not disturb each other below the spine; the spine divides its rate by the oversubscription.
//
// Laws, with n members, B bytes for each member (what it holds before a reduce_scatter or after an
// all_gather), latency L, rate R:
//   ring             (n - 1) L + (n - 1) / n B / R     for reduce_scatter and all_gather; twice that for
//                    all_reduce
//   recursive        ceil(log2 n) L + (n - 1) / n B / R
//   tree all_reduce  2 ceil(log2 n) L + 2 B / R, in chunks that overlap (double binary trees)
// The collective takes the fastest that it has. all_to_all: (n - 1) L' + (n - 1) / n B / R with messages that
// overlap, L' = L / n. Sums are added as they are sent on; the last addition of a reduction takes fleet.fold
// + B / n / fleet.fold_rate. Not modelled: contention with other jobs, congestion, loss.
#pragma once

#include "workloads/training/case/job_params.h"

namespace tahoma::runtime::cluster {

// The members of a group are `distance` chips apart.
struct ChipGroup {
  double members = 1, distance = 1;
};

struct LevelRate {
  double seconds = 0, bytes_per_second = 0;  // latency, rate of a chip
};
LevelRate level_of(const FleetParams& fleet, const ChipGroup& group);

double ring_seconds(const LevelRate& level, double members, double bytes);
double recursive_seconds(const LevelRate& level, double members, double bytes);
double tree_all_reduce_seconds(const LevelRate& level, double members, double bytes);

double reduce_scatter_seconds(const FleetParams& fleet, const ChipGroup& group, double bytes);
double all_gather_seconds(const FleetParams& fleet, const ChipGroup& group, double bytes);
double all_reduce_seconds(const FleetParams& fleet, const ChipGroup& group, double bytes);
double all_to_all_seconds(const FleetParams& fleet, const ChipGroup& group, double bytes);
double send_seconds(const FleetParams& fleet, double distance, double bytes);

}  // namespace tahoma::runtime::cluster
