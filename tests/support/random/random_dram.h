// SPDX-License-Identifier: Apache-2.0
// Random channels with consistent timings, as a part could have, and random traffic for them. The same on
// every host.
#pragma once

#include <random>
#include <vector>

#include "tests/support/bench/dram_setup.h"

namespace tahoma::tests {

// HBM3 at 6.4 Gb/s with 8 Gb a channel: the timings of the reference simulations, in ticks of 0.3125 ns.
DramSetup hbm3_setup();

class DramGenerator {
 public:
  explicit DramGenerator(std::uint64_t seed) : random_(seed), choices_(~seed) {}

  DramSetup setup();
  // `count` segments by order of arrival, numbered by their tags.
  std::vector<dram::Segment> traffic(const DramSetup& setup, std::uint32_t count);

 private:
  dram::Organisation organisation();
  dram::Timing timing(const dram::Organisation& organisation);
  dram::Policy policy();
  void choose_controller(DramSetup& setup);
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Tick between(Tick low, Tick high) {
    return low + static_cast<Tick>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool chance(unsigned percent) { return below(100) < percent; }

  bool chosen(unsigned percent) { return choices_() % 100 < percent; }

  std::mt19937_64 random_;
  std::mt19937_64 choices_;  // for what only some channels have; separate, to change nothing else
};

}  // namespace tahoma::tests
