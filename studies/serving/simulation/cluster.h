// SPDX-License-Identifier: Apache-2.0
// The discrete-event simulation: requests arrive, servers execute steps, and keys and values move from
// prefill servers to decode servers.
//
// Events are the ends of steps, the ends of transfers and arrivals. All events of one instant are processed,
// in that order and then by server or request, before an idle server starts its next step: a request that
// arrives when a step ends can be in the next one. The work of a step does not depend on the number of its
// sequences, and that of a request grows with the logarithm of the requests that wait or run.
//
// Not modelled: the time of the host between steps, tokenisation and the network to the user; reuse of keys
// and values between requests (prefix caching); swapping instead of recomputation; speculative decoding;
// failures.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <vector>

#include "studies/serving/simulation/batch_server.h"
#include "studies/serving/simulation/group_state.h"
#include "studies/serving/simulation/least_loaded.h"
#include "studies/serving/simulation/request_state.h"
#include "studies/serving/simulation/server_params.h"

namespace tahoma::runtime::serving {

struct ClusterObserver {
  // Before anything changes at `now`; the groups are as they have been since the last call.
  std::function<void(Nanoseconds now, const GroupStates& groups)> advance;
  std::function<void(const FinishedRequest&)> finished;
};

class Cluster {
 public:
  // Every request fits a server (requests_of() refuses others).
  Cluster(const ServerParams& params, const StepTable& steps, const Requests& requests,
          ClusterObserver observer);

  Cluster(const Cluster&) = delete;  // the servers refer to its members
  Cluster& operator=(const Cluster&) = delete;

  // Simulates all requests to their ends. Errors: those of StepTable::cost_of; E-SRV-016, the simulated time
  // exceeds 146 years.
  void run();

  const GroupStates& groups() const { return groups_; }
  double joules() const { return joules_; }

 private:
  enum class EventKind : std::uint8_t { kStepEnd, kTransferEnd };
  struct Event {
    Nanoseconds time;
    EventKind kind;
    std::uint32_t number;  // of the server or the request
    auto operator<=>(const Event&) const = default;
  };
  // A group of equal servers: their positions in servers_, and the number of their requests.
  struct Group {
    std::size_t first;
    LeastLoaded loads;
  };

  Nanoseconds next_time() const;
  void process(const Event& event);
  void end_step(std::uint32_t server);
  void end_transfer(RequestNumber number);
  void send_to(Group& group, RequestNumber number, std::vector<std::uint32_t>& chosen);
  void report(RequestNumber number);
  void start_servers();
  void start_step(std::uint32_t server, bool& any_preempted);
  void start_transfers(std::uint32_t server);
  bool decodes_only(std::size_t server) const {
    return params_.separated() && server >= params_.prefill_servers;
  }
  void check_end() const;

  const ServerParams& params_;
  const StepTable& steps_;
  const Requests& requests_;
  ClusterObserver observer_;
  RequestStates states_;
  GroupStates groups_;
  std::vector<BatchServer> servers_;  // prefill servers first
  Group prefill_group_, decode_group_;
  std::vector<std::uint32_t> prefill_of_, decode_of_;  // by request: the server that has it
  std::vector<Nanoseconds> link_free_;                 // by prefill server
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::set<std::uint32_t> touched_;  // servers that may be able to start something
  std::size_t arrived_ = 0, ended_ = 0;
  Nanoseconds now_;
  double joules_ = 0;
};

}  // namespace tahoma::runtime::serving
