// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/results/serving_summary.h"

#include <algorithm>

namespace tahoma::runtime::serving {

namespace {

double share_percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

GroupSummary group_summary(const WindowSeries& series, const GroupStates& groups, std::size_t g,
                           double elapsed_ns) {
  const WindowSums sums = series.total(g);
  const GroupState& group = groups[g];
  const auto mean = [&](Level level) {
    return static_cast<double>(sums.integrals[static_cast<std::size_t>(level)]) / elapsed_ns;
  };
  const auto blocks = static_cast<double>(group.blocks);
  GroupSummary summary;
  summary.name = group.name;
  summary.servers = group.servers;
  summary.busy_percent = share_percent(mean(Level::kBusy), static_cast<double>(group.servers));
  summary.mean_running = mean(Level::kRunning);
  summary.mean_waiting = mean(Level::kWaiting);
  summary.most_running = series.most(g, Level::kRunning);
  summary.most_waiting = series.most(g, Level::kWaiting);
  summary.mean_blocks_percent = share_percent(mean(Level::kBlocks), blocks);
  summary.most_blocks_percent = share_percent(static_cast<double>(series.most(g, Level::kBlocks)), blocks);
  summary.steps = group.count(Count::kSteps);
  summary.preemptions = group.count(Count::kPreemptions);
  return summary;
}

}  // namespace

void RequestTally::add(const FinishedRequest& request) {
  wait_.add(request.wait());
  ttft_.add(request.ttft());
  if (request.request.output > 1) tpot_.add(request.tpot());
  end_to_end_.add(request.end_to_end());
  if (slo_.met_by(request)) ++within_slo_;
  prompt_tokens_ += request.request.prompt;
  output_tokens_ += request.request.output;
  if (request.preemptions > 0) ++preempted_;
  dropped_ += request.dropped_tokens;
  first_arrival_ = std::min(first_arrival_, request.request.arrival);
}

ServingSummary RequestTally::summary(const WindowSeries& series, const GroupStates& groups,
                                     std::optional<double> joules) {
  ServingSummary s;
  const Nanoseconds elapsed = series.end() - first_arrival_;
  s.requests = ttft_.size();
  s.elapsed_s = elapsed.seconds();
  s.wait = wait_.statistics();
  s.ttft = ttft_.statistics();
  s.tpot = tpot_.statistics();
  s.end_to_end = end_to_end_.statistics();
  s.slo = slo_;
  s.within_slo = within_slo_;
  s.requests_per_s = static_cast<double>(s.requests) / s.elapsed_s;
  s.goodput_per_s = static_cast<double>(within_slo_) / s.elapsed_s;
  s.prompt_tokens = prompt_tokens_;
  s.output_tokens = output_tokens_;
  s.output_tokens_per_s = static_cast<double>(output_tokens_) / s.elapsed_s;
  s.preempted_requests = preempted_;
  s.dropped_tokens = dropped_;
  s.joules = joules;
  if (joules) s.joules_per_output_token = *joules / static_cast<double>(output_tokens_);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    s.groups.push_back(group_summary(series, groups, g, static_cast<double>(elapsed.count)));
    s.mean_in_system += s.groups.back().mean_running + s.groups.back().mean_waiting;
  }
  return s;
}

}  // namespace tahoma::runtime::serving
