// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/simulation/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tahoma::runtime::serving {

namespace {

constexpr Nanoseconds kNoTime{std::numeric_limits<std::int64_t>::max()};

GroupState group_state(const char* name, const ServerParams& params, std::uint64_t servers) {
  GroupState group;
  group.name = name;
  group.servers = servers;
  group.blocks = servers * params.kv.blocks;
  return group;
}

GroupStates group_states(const ServerParams& params) {
  if (!params.separated()) return {group_state("servers", params, params.servers)};
  return {group_state("prefill", params, params.prefill_servers),
          group_state("decode", params, params.decode_servers)};
}

std::size_t first_group(const ServerParams& params) {
  return params.separated() ? params.prefill_servers : params.servers;
}

Nanoseconds later(Nanoseconds time, Nanoseconds span) {
  constexpr Nanoseconds kMost{std::int64_t{1} << 62};
  if (time + span > kMost)
    throw base::UserError(
        "E-SRV-016", "",
        "the simulated time exceeds 146 years: expected shorter steps or transfers, or fewer requests");
  return time + span;
}

}  // namespace

Cluster::Cluster(const ServerParams& params, const StepTable& steps, const Requests& requests,
                 ClusterObserver observer)
    : params_(params),
      steps_(steps),
      requests_(requests),
      observer_(std::move(observer)),
      states_(requests.size()),
      groups_(group_states(params)),
      prefill_group_{0, LeastLoaded(first_group(params))},
      decode_group_{first_group(params), LeastLoaded(params.decode_servers)},
      prefill_of_(requests.size(), 0),
      decode_of_(params.separated() ? requests.size() : 0, 0),
      link_free_(first_group(params)) {
  const ServerRole first = params.separated() ? ServerRole::kPrefill : ServerRole::kBoth;
  servers_.reserve(first_group(params) + params.decode_servers);  // servers do not move
  for (std::size_t n = 0; n < first_group(params); ++n)
    servers_.emplace_back(params_, steps_, first, requests_, states_, groups_.front());
  for (std::size_t n = 0; params.separated() && n < params.decode_servers; ++n)
    servers_.emplace_back(params_, steps_, ServerRole::kDecode, requests_, states_, groups_.back());
}

Nanoseconds Cluster::next_time() const {
  const Nanoseconds arrival = arrived_ < requests_.size() ? requests_[arrived_].arrival : kNoTime;
  return events_.empty() ? arrival : std::min(arrival, events_.top().time);
}

void Cluster::run() {
  while (true) {
    now_ = next_time();
    if (now_ == kNoTime) break;
    observer_.advance(now_, groups_);
    for (; !events_.empty() && events_.top().time == now_;) {
      const Event event = events_.top();
      events_.pop();
      process(event);
    }
    for (; arrived_ < requests_.size() && requests_[arrived_].arrival == now_; ++arrived_)
      send_to(prefill_group_, static_cast<RequestNumber>(arrived_), prefill_of_);
    start_servers();
  }
  check_end();
}

void Cluster::check_end() const {
  TAHOMA_INVARIANT(
      ended_ == requests_.size(),
      fmt::format("{} of {} requests have ended, and no event is left", ended_, requests_.size()));
  for (const BatchServer& server : servers_)
    TAHOMA_INVARIANT(server.idle_and_empty(), "a server holds requests or blocks after the last event");
}

void Cluster::process(const Event& event) {
  if (event.kind == EventKind::kStepEnd)
    end_step(event.number);
  else
    end_transfer(event.number);
}

void Cluster::send_to(Group& group, RequestNumber number, std::vector<std::uint32_t>& chosen) {
  const std::size_t server = group.loads.choose();
  group.loads.add(server);
  chosen[number] = static_cast<std::uint32_t>(group.first + server);
  servers_[chosen[number]].add(number);
  touched_.insert(chosen[number]);
}

void Cluster::report(RequestNumber number) {
  const RequestState& state = states_[number];
  ++ended_;
  observer_.finished({number, requests_[number], state.first_start, state.first_token, now_,
                      state.preemptions, state.dropped});
}

void Cluster::end_step(std::uint32_t server) {
  const BatchServer::StepResult result = servers_[server].finish();
  touched_.insert(server);
  Group& group = decodes_only(server) ? decode_group_ : prefill_group_;
  for (const RequestNumber number : result.first_tokens)
    if (states_[number].first_token.count < 0) states_[number].first_token = now_;
  for (const RequestNumber number : result.finished) {
    group.loads.remove(server - group.first);
    report(number);
  }
  for (const RequestNumber number : result.handed_over) send_to(decode_group_, number, decode_of_);
}

// The server that prefilled keeps the request's blocks, and its place among the loads, up to here.
void Cluster::end_transfer(RequestNumber number) {
  servers_[prefill_of_[number]].release(number);
  prefill_group_.loads.remove(prefill_of_[number]);
  servers_[decode_of_[number]].arrive(number);
  touched_.insert(prefill_of_[number]);
  touched_.insert(decode_of_[number]);
}

void Cluster::start_servers() {
  while (!touched_.empty()) {
    const std::uint32_t server = *touched_.begin();
    touched_.erase(touched_.begin());
    bool any_preempted = false;
    if (!servers_[server].busy()) start_step(server, any_preempted);
    if (decodes_only(server) && !any_preempted) start_transfers(server);
  }
}

void Cluster::start_step(std::uint32_t server, bool& any_preempted) {
  std::vector<RequestNumber> preempted;
  const auto cost = servers_[server].start(now_, preempted);
  if (cost) {
    const std::int64_t span = std::max<std::int64_t>(1, std::llround(cost->seconds * 1e9));
    events_.push({later(now_, {span}), EventKind::kStepEnd, server});
    joules_ += cost->joules;
  }
  any_preempted = !preempted.empty();
  for (const RequestNumber number : preempted) {
    decode_group_.loads.remove(server - decode_group_.first);
    send_to(prefill_group_, number, prefill_of_);
  }
}

void Cluster::start_transfers(std::uint32_t server) {
  while (const auto number = servers_[server].reserve()) {
    const std::uint64_t cached = prefill_tokens(requests_[*number], states_[*number]) - 1;
    Nanoseconds& free = link_free_[prefill_of_[*number]];
    free = later(std::max(free, now_), transfer_time(params_.transfer, cached));
    events_.push({later(free, rounded_up(params_.transfer.latency)), EventKind::kTransferEnd, *number});
  }
}

}  // namespace tahoma::runtime::serving
