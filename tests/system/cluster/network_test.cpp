// SPDX-License-Identifier: Apache-2.0
// Collectives between the chips of a fleet against their closed forms, and the level that a group spans.
#include "studies/cluster/step/network.h"

#include <catch2/catch.hpp>

#include "studies/cluster/input/cluster_case.h"

using namespace tahoma;
using namespace base::literals;
using namespace runtime::cluster;

namespace {

FleetParams fleet() {
  ClusterCase c;
  c.declare();
  FleetParams f = c.fleet;
  f.domain = 64;
  f.rack = 1024;
  f.building = 8192;
  f.domain_rate = 600_GBps;
  f.efa_rate = 20_GBps;
  f.building_rate = 1_GBps;
  f.domain_latency = 1_us;
  f.rack_latency = 10_us;
  f.spine_latency = 20_us;
  f.building_latency = 500_us;
  f.oversubscription = 2;
  return f;
}

}  // namespace

TEST_CASE("fleet network: the span of a group decides its level", "[cluster]") {
  const FleetParams f = fleet();
  CHECK(level_of(f, {8, 8}).bytes_per_second == 600e9);
  CHECK(level_of(f, {9, 8}).bytes_per_second == 20e9);
  CHECK(level_of(f, {128, 16}).bytes_per_second == 10e9);  // the spine, two to one
  CHECK(level_of(f, {1024, 16}).bytes_per_second == 1e9);
  CHECK(level_of(f, {1024, 16}).seconds == Approx(500e-6));
}

TEST_CASE("fleet network: over an ideal rate only latencies remain", "[cluster]") {
  FleetParams f = fleet();
  f.domain_rate = f.efa_rate = f.building_rate = {0, true};
  for (const double members : {2.0, 8.0, 100.0, 4096.0}) {
    const ChipGroup group{members, 4};
    CHECK(reduce_scatter_seconds(f, group, 1e12) == reduce_scatter_seconds(f, group, 1));
    CHECK(all_to_all_seconds(f, group, 1e12) == all_to_all_seconds(f, group, 1));
  }
  CHECK(send_seconds(f, 1, 1e12) == Approx(f.domain_latency.seconds()));
}

TEST_CASE("fleet network: ring, recursive and tree collectives are their closed forms", "[cluster]") {
  const LevelRate level{10e-6, 20e9};
  CHECK(ring_seconds(level, 8, 1e9) == Approx(7 * 10e-6 + 7.0 / 8 * 1e9 / 20e9));
  CHECK(recursive_seconds(level, 8, 1e9) == Approx(3 * 10e-6 + 7.0 / 8 * 1e9 / 20e9));
  CHECK(tree_all_reduce_seconds(level, 8, 1e9) == Approx(2 * 3 * 10e-6 + 2 * 1e9 / 20e9));
  CHECK(ring_seconds(level, 1, 1e9) == 0);
  CHECK(recursive_seconds(level, 1, 1e9) == 0);
}

TEST_CASE("fleet network: an all_reduce is at best both halves, and never below its bound", "[cluster]") {
  const FleetParams f = fleet();
  for (const double members : {2.0, 3.0, 16.0, 100.0})
    for (const double bytes : {1e3, 1e6, 1e10}) {
      const ChipGroup group{members, 8};
      const double bound = 2 * (members - 1) / members * bytes / level_of(f, group).bytes_per_second;
      CHECK(all_reduce_seconds(f, group, bytes) >= Approx(bound));
      CHECK(all_reduce_seconds(f, group, bytes) <= 2 * reduce_scatter_seconds(f, group, bytes));
    }
  CHECK(all_to_all_seconds(f, {4, 8}, 4e6) == Approx(0.75 * (1e-6 + 4e6 / 600e9)));
  CHECK(send_seconds(f, 512, 2e6) == Approx(10e-6 + 2e6 / 20e9));
}
