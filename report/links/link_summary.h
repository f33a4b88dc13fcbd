// SPDX-License-Identifier: Apache-2.0
// The summary of a run's links: the payload of the directions, the busiest and the saturated ones, the
// sources of their bytes, and the traffic between chips. links.csv has single directions, links_windows.csv
// their windows, and traffic.csv the matrix of traffic.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/measurements.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

struct FlowShare {  // data from one chip to another over a link
  std::uint32_t from_chip = 0, to_chip = 0;
  std::uint64_t payload_bytes = 0;
  double percent = 0;  // of the link's payload
};

struct LinkLoad {
  std::string name;
  std::vector<FlowShare> flows;  // most bytes first

  TAHOMA_STATISTICS(LinkLoad);
  TAHOMA_LEVEL(double, busy_percent, kPercent, "time the wire was sending");
  TAHOMA_LEVEL(std::uint64_t, payload_bytes, kBytes, "payload sent in this direction");
  TAHOMA_LEVEL(double, goodput, kBytesPerSecond, "payload sent in this direction over the elapsed time");
  TAHOMA_LEVEL(double, blocked_percent, kPercent,
               "time a packet was ready and the wire free, but the next buffer had no credit", kLess);
  TAHOMA_LEVEL(std::uint64_t, queue_high_water, kCount, "most packets in the queue");
};

struct AxisSummary {
  char axis = 'x';

  TAHOMA_STATISTICS(AxisSummary);
  TAHOMA_COUNTER(std::uint64_t, links, kCount, "directions of links along the axis");
  TAHOMA_COUNTER(std::uint64_t, bytes, kBytes, "payload sent along the axis, once per hop");
  TAHOMA_COUNTER(std::uint64_t, wire_bytes, kBytes, "payload and headers sent along the axis, once per hop");
  TAHOMA_LEVEL(double, mean_busy_percent, kPercent, "time a wire was sending, mean over the directions");
  TAHOMA_LEVEL(double, mean_blocked_percent, kPercent,
               "time a packet waited for credit only, mean over the directions", kLess);
};

struct TrafficSummary {  // between different chips
  TAHOMA_STATISTICS(TrafficSummary);
  TAHOMA_COUNTER(std::uint64_t, pairs, kCount, "pairs of chips, one sending and one receiving, with traffic");
  TAHOMA_COUNTER(std::uint64_t, packets, kCount, "packets that chips sent each other, once each");
  TAHOMA_COUNTER(std::uint64_t, bytes, kBytes, "payload that chips sent each other, once each");
  TAHOMA_FIGURE(double, mean_bytes, kBytes, "payload of a pair, mean over the pairs",
                static_cast<double>(self.bytes) / static_cast<double>(self.pairs));

  base::TrafficMeasurement largest;
  // The matrix is ordered by sender, then receiver. It is empty on a machine of more than kMatrixChips chips.
  std::vector<std::vector<std::uint64_t>> matrix;
};
inline constexpr std::uint64_t kMatrixChips = 64;

struct LinkFault {
  std::string link;
  model::LinkFaults faults;
};

inline constexpr std::size_t kBusyBins = 10;  // 0..10 %, ..., 90..100 %
inline constexpr std::size_t kBusiestLinks = 5;

struct LinkSummary {
  std::uint64_t count = 0, payload_bytes = 0, wire_bytes = 0;
  std::vector<LinkLoad> busiest;    // at most kBusiestLinks with traffic, busiest first
  std::vector<LinkLoad> saturated;  // in the order of the measurement
  std::string saturation;           // what counts as saturated, saturation_text()
  std::array<std::uint64_t, kBusyBins> histogram{};
  std::vector<AxisSummary> axes;          // those that have links
  std::optional<TrafficSummary> traffic;  // none if chips sent each other nothing
  std::vector<LinkFault> faults;          // as configured
  std::vector<std::string> chips;         // names by number, as flows and traffic have them
};

// Returns the flows of a link, most bytes first.
std::vector<FlowShare> flows_of(const base::LinkMeasurement& link);

LinkSummary summarise_links(const model::MachineParams& machine, const base::RunMeasurement& run);

// Returns the traffic between chips, by sender, then receiver.
std::vector<std::vector<std::uint64_t>> traffic_matrix(std::uint64_t chips, const base::RunMeasurement& run);

}  // namespace tahoma::runtime
