// SPDX-License-Identifier: Apache-2.0
// Bands over start phases: what they hold, and that they come from the seed alone.
#include "studies/whatif/start_phases.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace tahoma;
using runtime::band_of, runtime::TimeBand;

TEST_CASE("start phases: a band holds another run as often as it says", "[whatif]") {
  std::mt19937_64 random(1);
  // Two distributions: times that are equally likely between two ends, and times with a long tail.
  const auto draw = [&](bool tail) {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    return tail ? 1 / (1.01 - u) : u;
  };
  for (const bool tail : {false, true})
    for (const std::size_t runs : {7U, 39U, 100U}) {
      INFO(runs << " runs, tail " << tail);
      constexpr int kTrials = 4000;
      int held = 0;
      double promised = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<double> times(runs);
        for (double& time : times) time = draw(tail);
        const TimeBand band = band_of(times);
        promised = band.percent;
        held += band.holds(draw(tail)) ? 1 : 0;
      }
      CHECK(100.0 * held / kTrials == Approx(promised).margin(1.7));  // 4 standard deviations
    }
  CHECK(band_of({1, 2, 3, 4, 5, 6, 7}).percent == Approx(75));
  CHECK(band_of(std::vector<double>(39, 1.0)).percent == Approx(95));
  CHECK(band_of(std::vector<double>(400, 1.0)).percent >= 95);
}

TEST_CASE("start phases: medians inside the other's band are not told apart", "[whatif]") {
  const TimeBand a = band_of({10, 11, 12}), b = band_of({11, 12, 13}), c = band_of({13, 14, 15});
  CHECK_FALSE(runtime::distinguishable(a, b));
  CHECK(runtime::distinguishable(a, c));
  CHECK(a.median_ns == 11);
}

TEST_CASE("start phases: they follow from the seed, and lie in their periods", "[whatif]") {
  model::MachineParams machine;
  base::ParamTree tree("machine");
  machine.declare(tree);
  const auto one = runtime::start_phases(machine, 1, 50), again = runtime::start_phases(machine, 1, 50),
             other = runtime::start_phases(machine, 2, 50);
  CHECK(one == again);
  CHECK(one != other);
  CHECK(std::set(one.begin(), one.end()).size() == 50);
  for (const auto& overrides : one) {
    REQUIRE(overrides.size() == 2);
    model::MachineParams with;
    base::ParamTree changed("machine");
    with.declare(changed);
    for (const std::string& text : overrides)
      for (const base::Leaf& leaf : base::parse_override(text)) changed.set(leaf.path, leaf.text, leaf.place);
    CHECK(with.chip.core.tensor.throttle_phase < with.chip.core.tensor.throttle_window);
    CHECK(with.chip.hbm.dram.refresh_phase < with.chip.hbm.dram.timing.refi);
  }
  machine.chip.core.tensor.throttle = false;
  machine.chip.hbm.model = model::HbmModel::kFlat;
  CHECK(runtime::start_phases(machine, 1, 3) == std::vector<std::vector<std::string>>(3));
}
