// SPDX-License-Identifier: Apache-2.0
// Traffic through a channel, the resulting service, and its checks: every segment was served, by commands in
// the log and within the bounds of the queues; and two channels behaved identically.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/bench/dram_setup.h"

namespace tahoma::tests {

struct Service {
  std::vector<Command> log;      // single commands in order of time
  std::vector<dram::Done> done;  // by tag
  Tick end = 0;                  // decisions are final up to this tick
};

inline std::vector<dram::Done> by_tag(std::vector<dram::Done> done) {
  std::stable_sort(done.begin(), done.end(),
                   [](const dram::Done& a, const dram::Done& b) { return a.tag < b.tag; });
  return done;
}

// Runs until everything is served, or up to a limit far beyond any valid service.
template <class Channel>
Service serve(Channel& channel, const BusLog& log, const std::vector<dram::Segment>& traffic) {
  constexpr Tick kStep = 1024, kHopeless = 4'000'000;
  for (const dram::Segment& s : traffic) channel.submit(s);
  std::size_t accesses = 0;
  for (const dram::Segment& s : traffic) accesses += s.accesses;
  Service service;  // a write is reported long before its last command
  while ((channel.finished().size() < traffic.size() || log.accesses_until(service.end) < accesses) &&
         service.end < kHopeless)
    channel.advance(service.end += kStep);
  service.log = log.sorted();
  std::erase_if(service.log, [&](const Command& c) { return c.at > service.end; });
  service.done = by_tag(channel.finished());
  return service;
}

template <class Channel>
Service serve(const DramSetup& s, const std::vector<dram::Segment>& traffic) {
  BusLog log;
  Channel channel(s.organisation, s.timing, s.policy, &log);
  return serve(channel, log, traffic);
}

// Sentences about faults in the service of `traffic`; empty if there is none.
std::vector<std::string> complaints(const DramSetup& setup, const std::vector<dram::Segment>& traffic,
                                    const Service& service);

// The first difference of two services of the same traffic.
std::optional<std::string> difference(const Service& a, const Service& b);

// Time of the last data on the pins; the accesses divided by it are the bandwidth.
Tick last_data(const DramSetup& setup, const Service& service);

}  // namespace tahoma::tests
