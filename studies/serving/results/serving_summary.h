// SPDX-License-Identifier: Apache-2.0
// The results of a simulation as numbers. Times of requests are exact; rates are divided by the elapsed time,
// from the first arrival to the end of the last request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "studies/serving/results/percentiles.h"
#include "studies/serving/results/slo.h"
#include "studies/serving/results/window_series.h"
#include "studies/serving/simulation/group_state.h"
#include "studies/serving/simulation/request_state.h"
#include "studies/serving/steps/held_back.h"

namespace tahoma::runtime::serving {

// A group of servers over the elapsed time.
struct GroupSummary {
  std::string name;
  std::uint64_t servers = 0;
  double busy_percent = 0;                    // share of the servers' time in a step
  double mean_running = 0, mean_waiting = 0;  // requests of the whole group
  std::uint64_t most_running = 0, most_waiting = 0;
  double mean_blocks_percent = 0, most_blocks_percent = 0;  // of the KV blocks of the group
  std::uint64_t steps = 0, preemptions = 0;
};

struct ServingSummary {
  std::string title;
  std::uint64_t requests = 0;
  double elapsed_s = 0;
  TimeStatistics wait, ttft, tpot, end_to_end;
  SloParams slo;
  std::uint64_t within_slo = 0;
  double requests_per_s = 0, goodput_per_s = 0;
  std::uint64_t prompt_tokens = 0, output_tokens = 0;  // of the requests
  double output_tokens_per_s = 0;
  std::uint64_t preempted_requests = 0, dropped_tokens = 0;
  double mean_in_system = 0;                              // requests that wait or run
  std::optional<double> joules, joules_per_output_token;  // of executed steps
  std::vector<GroupSummary> groups;
  std::optional<HeldBack> held_back;

  double within_slo_percent() const {
    return 100 * static_cast<double>(within_slo) / static_cast<double>(requests);
  }
};

// Collects requests as they end.
class RequestTally {
 public:
  explicit RequestTally(const SloParams& slo) : slo_(slo) {}
  void add(const FinishedRequest& request);
  // After the last request. `joules`: none if the table of steps has no energy.
  ServingSummary summary(const WindowSeries& series, const GroupStates& groups, std::optional<double> joules);

 private:
  SloParams slo_;
  TimeSamples wait_, ttft_, tpot_, end_to_end_;
  std::uint64_t within_slo_ = 0, prompt_tokens_ = 0, output_tokens_ = 0, preempted_ = 0, dropped_ = 0;
  Nanoseconds first_arrival_{INT64_MAX};
};

}  // namespace tahoma::runtime::serving
