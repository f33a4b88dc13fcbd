// SPDX-License-Identifier: Apache-2.0
// The links of a run, reduced: what the directions carried, which were busiest and which saturated, whose
// bytes these were, and what chips sent each other. Single directions stand in links.csv, their windows in
// links_windows.csv, the matrix of traffic in traffic.csv.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/measurements.h"
#include "model/system/machine_params.h"

namespace tahoma::runtime {

struct FlowShare {  // what one chip sent another over a link
  std::uint32_t from_chip = 0, to_chip = 0;
  std::uint64_t payload_bytes = 0;
  double percent = 0;  // of the link's payload
};

struct LinkLoad {
  std::string name;
  double busy_percent = 0;
  std::uint64_t payload_bytes = 0;
  double goodput = 0;          // payload bytes per second of the run
  double blocked_percent = 0;  // of the run: a packet was ready and the wire free, but no credit there
  std::uint64_t queue_high_water = 0;
  std::vector<FlowShare> flows;  // most bytes first
};

struct AxisSummary {
  char axis = 'x';
  std::uint64_t links = 0, payload_bytes = 0, wire_bytes = 0;
  double mean_busy_percent = 0, mean_blocked_percent = 0;
};

struct TrafficSummary {  // between different chips
  std::uint64_t pairs = 0, packets = 0, payload_bytes = 0;
  double mean_bytes = 0;  // of the pairs that exchanged anything
  base::TrafficMeasurement largest;
  // By sender, then receiver; empty on a machine of more than kMatrixChips chips.
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
  std::vector<LinkLoad> busiest;    // at most kBusiestLinks that moved anything, busiest first
  std::vector<LinkLoad> saturated;  // in the order of the measurement
  std::array<std::uint64_t, kBusyBins> histogram{};
  std::vector<AxisSummary> axes;          // those that have links
  std::optional<TrafficSummary> traffic;  // none where chips sent each other nothing
  std::vector<LinkFault> faults;          // as configured
  std::vector<std::string> chips;         // names by number, as flows and traffic have them
};

LinkSummary summarise_links(const model::MachineParams& machine, const base::RunMeasurement& run);

// What chips sent each other, by sender, then receiver.
std::vector<std::vector<std::uint64_t>> traffic_matrix(std::uint64_t chips, const base::RunMeasurement& run);

}  // namespace tahoma::runtime
