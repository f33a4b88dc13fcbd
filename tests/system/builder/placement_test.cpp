// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/placement.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "model/base/error.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using runtime::Placement;
using runtime::Shard;

namespace {

// Hops along one axis of a ring of `size` chips.
std::uint64_t ring_hops(std::uint64_t a, std::uint64_t b, std::uint64_t size) {
  const std::uint64_t d = a > b ? a - b : b - a;
  return std::min(d, size - d);
}

std::uint64_t hops(const model::TorusParams& t, std::uint64_t a, std::uint64_t b) {
  return ring_hops(a % t.x, b % t.x, t.x) + ring_hops(a / t.x % t.y, b / t.x % t.y, t.y) +
         ring_hops(a / (t.x * t.y), b / (t.x * t.y), t.z);
}

}  // namespace

TEST_CASE("placement: parts cover the whole in order and differ by less than one part", "[placement]") {
  for (const std::uint64_t total : {1, 7, 8, 100, 4097})
    for (const std::uint64_t parts : {1, 2, 3, 8, 64}) {
      std::uint64_t next = 0, used = 0;
      for (std::uint64_t i = 0; i < parts; ++i) {
        const runtime::Part p = runtime::part_of(total, parts, i);
        CHECK((p.count == 0 || p.first == next));
        CHECK(p.count <= (total + parts - 1) / parts);
        next += p.count;
        used += p.count > 0 ? 1 : 0;
      }
      CHECK(next == total);
      CHECK(used == runtime::parts_used(total, parts));
    }
}

TEST_CASE("placement: consecutive chips of the path are one hop apart, and so are its end and its start",
          "[placement]") {
  for (const auto& [x, y, z] :
       {std::array<std::uint64_t, 3>{4, 4, 4}, {2, 2, 2}, {4, 4, 1}, {8, 2, 2}, {4, 1, 1}}) {
    const model::MachineParams machine = tests::machine_of(x, y, z);
    const std::vector<std::uint32_t> path = model::topology_of(machine)->path();
    REQUIRE(path.size() == x * y * z);
    CHECK(std::set<std::uint32_t>(path.begin(), path.end()).size() == path.size());
    for (std::size_t i = 0; i < path.size(); ++i)
      CHECK(hops(machine.torus, path[i], path[(i + 1) % path.size()]) == 1);
  }
}

TEST_CASE("placement: every part has its own core", "[placement]") {
  const model::MachineParams machine = tests::machine_of(4, 4, 4);
  for (const Shard& shard : {Shard{8, 8, 8}, Shard{1, 1, 512}, Shard{512, 1, 1}, Shard{2, 2, 16},
                             Shard{1, 8, 1}, Shard{4, 1, 128}, Shard{1, 1, 1}}) {
    const Placement placement(machine, shard);
    std::set<std::uint32_t> cores;
    for (std::uint64_t m = 0; m < shard.m; ++m)
      for (std::uint64_t n = 0; n < shard.n; ++n)
        for (std::uint64_t k = 0; k < shard.k; ++k) cores.insert(placement.core_of(m, n, k));
    CHECK(cores.size() == shard.parts());
    CHECK(*cores.rbegin() < machine.cores());
  }
  CHECK(Placement(machine, {1, 1, 1}).core_of(0, 0, 0) == 0);
}

TEST_CASE("placement: parts along k are on a closed ring of neighbouring chips", "[placement]") {
  const model::MachineParams machine = tests::machine_of(4, 4, 4);
  for (const std::uint64_t k : {2, 4, 8, 16, 32, 64}) {
    const Shard shard{512 / k, 1, k};
    const Placement placement(machine, shard);
    for (std::uint64_t m = 0; m < shard.m; ++m)
      for (std::uint64_t r = 0; r < k; ++r) {
        const std::uint64_t a = placement.core_of(m, 0, r) / 8, b = placement.core_of(m, 0, (r + 1) % k) / 8;
        CHECK(hops(machine.torus, a, b) == 1);
      }
  }
}

TEST_CASE("placement: a few parts of one chip are spread over its HBM stacks", "[placement]") {
  const model::MachineParams machine = tests::machine_of(1, 1, 1);
  const Placement placement(machine, {1, 4, 1});
  std::set<std::uint64_t> stacks;
  for (std::uint64_t n = 0; n < 4; ++n) stacks.insert(placement.core_of(0, n, 0) / 2);
  CHECK(stacks.size() == 4);
}

TEST_CASE("placement: a shard that does not divide the machine is refused with the legal numbers",
          "[placement]") {
  const model::MachineParams machine = tests::machine_of(1, 1, 1);
  for (const Shard& shard : {Shard{3, 1, 1}, Shard{4, 4, 1}, Shard{1 << 20, 1 << 20, 1 << 20}}) {
    CHECK_THROWS_WITH(runtime::check_shard(machine, shard),
                      Catch::Contains("E-RUN-030") && Catch::Contains("1, 2, 4, 8"));
  }
  CHECK_NOTHROW(runtime::check_shard(machine, {2, 2, 2}));
}

TEST_CASE("placement: every part has its own core, for any number of stacks", "[placement]") {
  for (const std::uint64_t stacks : {1, 2, 3, 4, 5, 6, 7, 8, 12}) {
    model::MachineParams machine = tests::machine_of(2, 1, 1);
    machine.chip.hbm.stacks = stacks;
    const Shard shard{2, 2, 4};
    const Placement placement(machine, shard);
    std::set<std::uint32_t> cores;
    for (std::uint64_t m = 0; m < shard.m; ++m)
      for (std::uint64_t n = 0; n < shard.n; ++n)
        for (std::uint64_t k = 0; k < shard.k; ++k) cores.insert(placement.core_of(m, n, k));
    CHECK(cores.size() == machine.cores());
    CHECK(*cores.rbegin() == machine.cores() - 1);
  }
}
