// SPDX-License-Identifier: Apache-2.0
// Tests how nodes are assigned to processes: shares of equal size, and every chip with its representative.
#include "model/system/parallel/node_shares.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "model/system/machine/fabric.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;

namespace {

// One of several processes that never communicate.
struct OneOf final : model::Processes {
  OneOf(std::uint32_t count, std::uint32_t rank) : count_(count), rank_(rank) {}
  std::uint32_t count() const override { return count_; }
  std::uint32_t rank() const override { return rank_; }
  Exchanged exchange(const std::vector<model::ByteString>&, const Numbers&,
                     const std::function<bool()>&) override {
    return {};
  }
  std::vector<std::int64_t> least(const std::vector<std::int64_t>&) override { return {}; }
  std::vector<model::ByteString> gather(const model::ByteString&) override { return {}; }
  std::uint32_t count_, rank_;
};

// Random classes, each represented by one of its chips, which need not be the lowest.
std::vector<std::uint32_t> random_classes(std::uint32_t chips, std::mt19937& random) {
  std::vector<std::uint32_t> of_class(chips), representative(chips);
  for (std::uint32_t& c : of_class) c = static_cast<std::uint32_t>(random() % (1 + chips / 3));
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t other = 0; other < chips; ++other)
      if (of_class[other] == of_class[chip]) members.push_back(other);
    representative[chip] = members[of_class[chip] % members.size()];
  }
  return representative;
}

}  // namespace

TEST_CASE(
    "node shares: simulated chips are dealt in order, evenly but for process 0, and the others follow them",
    "[parallel]") {
  const model::Fabric fabric(tests::machine_of(4, 4, 2));
  std::mt19937 random(7);
  for (std::uint32_t count = 2; count <= 40; ++count) {
    OneOf process(count, count / 2);
    model::NodeShares shares(fabric.topology, process);
    const std::vector<std::uint32_t> representative = random_classes(fabric.topology.chips(), random);
    shares.deal(representative);
    std::vector<std::uint32_t> chips(count);
    std::uint32_t last = 0;
    for (std::uint32_t chip = 0; chip < representative.size(); ++chip) {
      const std::uint32_t at = shares.process_of(chip);
      CHECK(at == shares.process_of(representative[chip]));
      CHECK(shares.is_here(chip) == (at == count / 2));
      if (representative[chip] != chip) continue;
      CHECK(at >= last);
      last = at;
      ++chips.at(at);
    }
    const auto [least, most] = std::minmax_element(chips.begin() + 1, chips.end());
    INFO(count << " processes");
    CHECK(*most - *least <= 1);
    CHECK(chips.front() <= *most);
  }
}

// A chip more or less would let the slowest process finish later.
TEST_CASE("node shares: process 0 takes fewer chips by the events of all", "[parallel]") {
  CHECK(model::chips_that_report(64, 64, 2) ==
        31);  // 31 + 64 / 25 = 33.6 beside 33; 32 + 64 / 25 = 34.6 beside 32
  CHECK(model::chips_that_report(16, 64, 2) == 7);
  CHECK(model::chips_that_report(1, 64, 2) == 0);
  CHECK(model::chips_that_report(64, 64, 64) == 0);  // two chips take less time than one and the events
  CHECK(model::chips_that_report(2, 2, 2) == 1);
  CHECK(model::chips_that_report(16, 64, 1) == 16);
  for (std::uint32_t simulated = 1; simulated <= 64; ++simulated)
    for (std::uint32_t processes = 2; processes <= 64; ++processes)
      CHECK(model::chips_that_report(simulated, 64, processes) <= simulated / processes);
}

TEST_CASE("node shares: switches are dealt in turn", "[parallel]") {
  model::MachineParams params = tests::machine_of(2, 2, 3);
  params.link.topology = base::fabric_named("two_level");
  const model::Fabric fabric(params);
  const std::uint32_t chips = fabric.topology.chips(), switches = fabric.topology.nodes() - chips;
  REQUIRE(switches >= 2);
  OneOf process(2, 0);
  const model::NodeShares shares(fabric.topology, process);
  for (std::uint32_t s = 0; s < switches; ++s) CHECK(shares.process_of(chips + s) == s % 2);
}
