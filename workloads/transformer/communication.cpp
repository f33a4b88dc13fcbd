// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/communication.h"

#include <fmt/format.h>

#include "runtime/collective/result/collective_measure.h"
#include "workloads/transformer/experts/expert_teams.h"

namespace tahoma::workloads {

using namespace runtime::collective;

namespace {

using Spans = std::vector<Stopwatch::Span>;

// Calls body(channels' spans) for each rank of each group.
template <class Body>
void for_spans(const Replica& replica, const PhaseExchange& exchange, Body&& body) {
  for (const Replica::RankCores& place : replica.alike())
    for (const auto& [planned, team] : exchange.parties)
      for (std::size_t r = 0; r < planned.spans.size(); ++r) {
        Spans spans = planned.spans[r];
        const std::size_t rank = team != nullptr ? team->ranks[r] : r;
        for (Stopwatch::Span& span : spans) span.core = place.cores[rank][exchange.physical_core];
        body(spans);
      }
}

struct Reporter {
  Estimates& estimates;
  const TransformerParams& params;
  const Stopwatch& stopwatch;

  runtime::CollectiveResult result(const Group& group, const PlannedCollective& planned,
                                   std::uint64_t elements, std::vector<runtime::RankTimes> ranks) const {
    runtime::CollectiveResult result =
        measured(estimates, group, planned, elements * isa::size_of(planned.spec.dtype), std::move(ranks));
    if (planned.spec.problem.reduces()) result.combiner = "sum";
    result.why = name_of(params.algorithm);
    return result;
  }

  runtime::CollectiveResult of(const Replica& replica, const PhaseExchange& exchange) const {
    std::vector<runtime::RankTimes> ranks;
    for_spans(replica, exchange, [&](const Spans& spans) { ranks.push_back(times_of(stopwatch, spans)); });
    const auto& [planned, team] = exchange.parties.front();
    const Group& group =
        team != nullptr ? *team->group : replica.alike().front().groups[exchange.physical_core];
    const std::size_t parties = exchange.parties.size();
    std::uint64_t elements = 0;  // of a member, their mean
    for (const ExchangeParty& party : exchange.parties) elements += party.planned.spec.elements;
    elements /= parties * vector_bytes(planned.spec.problem, 1);
    runtime::CollectiveResult one = result(group, planned, elements, std::move(ranks));
    one.name = fmt::format("{}, half {}", exchange.region, exchange.physical_core);
    one.group = fmt::format("{} groups of {} cores at once", replica.alike().size() * parties, group.ranks());
    return one;
  }
};

}  // namespace

std::vector<runtime::CollectiveResult> collectives_of(const model::MachineParams& machine,
                                                      const TransformerParams& params,
                                                      const AllStages& replicas, const Stopwatch& stopwatch) {
  Estimates estimates(machine);
  const Reporter reporter{estimates, params, stopwatch};
  std::vector<runtime::CollectiveResult> results;
  for (const auto& stages : replicas) {
    for (const Stages::Group& group : stages->groups())
      for (const PhaseExchange& exchange : group.programs->exchanges())
        results.push_back(reporter.of(*group.replica, exchange));
    for (const Stages::Gathered& all : stages->gathered()) {
      std::vector<runtime::RankTimes> times;
      for (const PlannedCollective& planned : all.planned)
        for (const Spans& spans : planned.spans) times.push_back(times_of(stopwatch, spans));
      runtime::CollectiveResult one = reporter.result(*all.group, all.planned.front(),
                                                      all.planned.front().spec.elements, std::move(times));
      one.name = fmt::format("{} all_gather, half {}", all.what, all.physical_core);
      one.group = fmt::format("{} groups of {} cores at once", all.planned.size(), all.group->ranks());
      results.push_back(std::move(one));
    }
    for (std::size_t h = 0; h < stages->handovers().size(); ++h)
      for (std::size_t b = 0; b < params.microbatches; ++b) {
        results.push_back(stages->handovers()[h]->result(estimates, stopwatch, b));
        results.back().name =
            fmt::format("hand-over of microbatch {} behind stage {}", b, h / params.parallel.sequence);
      }
  }
  return results;
}

std::vector<runtime::MessageResult> messages_of(const TransformerParams& params, const AllStages& replicas,
                                                const Stopwatch& stopwatch) {
  std::vector<runtime::MessageResult> all;
  for (const auto& stages : replicas)
    for (std::size_t h = 0; h < stages->handovers().size(); ++h)
      append(all, stages->handovers()[h]->messages(
                      stopwatch,
                      fmt::format("hand-over behind stage {} of microbatch", h / params.parallel.sequence)));
  return all;
}

void for_communication(const AllStages& replicas, const Stopwatch& stopwatch, const OnCore& body) {
  const auto tell = [&](const Spans& spans) {
    for (const Stopwatch::Span& span : spans) body(span.core, stopwatch.begin(span), stopwatch.end(span));
  };
  for (const auto& stages : replicas) {
    for (const Stages::Group& group : stages->groups())
      for (const PhaseExchange& exchange : group.programs->exchanges())
        for_spans(*group.replica, exchange, tell);
    for (const Stages::Gathered& all : stages->gathered())
      for (const PlannedCollective& planned : all.planned)
        for (const Spans& spans : planned.spans) tell(spans);
    for (const auto& handover : stages->handovers())
      for (const Handover::Trip& trip : handover->trips(stopwatch))
        body(trip.to, trip.times.start, trip.times.end);
  }
}

}  // namespace tahoma::workloads
