// SPDX-License-Identifier: Apache-2.0
// A bench for laws of one DRAM channel: HBM3 reduced to one pseudo-channel, traffic that is complete at the
// start, and the resulting service.
#pragma once

#include <catch2/catch.hpp>

#include "tests/support/random/random_dram.h"
#include "tests/support/reference/dram_service.h"

namespace tahoma::tests {

using dram::Channel, dram::Segment;

// One pseudo-channel and one stack ID of 4 groups x 4 banks, no refresh, deep queues.
inline DramSetup one_pseudo_channel() {
  DramSetup s = hbm3_setup();
  s.organisation.pseudo_channels = s.organisation.stack_ids = 1;
  s.policy.refresh = dram::Refresh::kNone;
  s.policy.read_queue = 1024;
  s.policy.write_queue = 1024;
  s.policy.write_high = 1023;
  s.policy.write_low = 0;
  return s;
}

inline std::uint8_t bank_of(std::uint32_t group, std::uint32_t bank) {
  return static_cast<std::uint8_t>(4 * group + bank);
}

// `count` segments that are present from the start; `make` builds the n-th.
template <class Make>
std::vector<Segment> all_at_once(std::uint32_t count, Make make) {
  std::vector<Segment> segments;
  for (std::uint32_t n = 0; n < count; ++n) {
    Segment s = make(n);
    s.tag = n;
    segments.push_back(s);
  }
  return segments;
}

struct Outcome {
  Service service;
  dram::Tally tally;
  double ticks;  // until the last data
};

inline Outcome run_channel(const DramSetup& setup, const std::vector<Segment>& traffic) {
  BusLog log;
  Channel channel(setup.organisation, setup.timing, setup.policy, &log);
  const Service service = serve(channel, log, traffic);
  CHECK(complaints(setup, traffic, service).empty());
  return {service, channel.tally(), static_cast<double>(last_data(setup, service))};
}

inline Approx within_a_percent_of(double value) { return Approx(value).epsilon(0.01); }

}  // namespace tahoma::tests
