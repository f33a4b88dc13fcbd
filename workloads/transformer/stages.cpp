// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/stages.h"

#include <fmt/format.h>

#include "workloads/transformer/decode/decode_step.h"
#include "workloads/transformer/prefill/prefill.h"

namespace tahoma::workloads {

using namespace runtime::collective;

Stages::Stages(runtime::Machine& machine, const TransformerParams& params, const ExpertRouting* routing,
               std::vector<Replica::Alike> groups)
    : params_(params), routing_(routing) {
  const std::size_t sequence = params.parallel.sequence;
  for (Replica::Alike& alike : groups)
    groups_.push_back({std::make_unique<Replica>(machine, std::move(alike)), nullptr});
  for (std::size_t g = 0; g + sequence < groups_.size(); ++g)
    handovers_.push_back(std::make_unique<Handover>(*groups_[g].replica, *groups_[g + sequence].replica));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Station station{g / sequence, g % sequence, nullptr, nullptr};
    if (g >= sequence) station.before = handovers_[g - sequence].get();
    if (g < handovers_.size()) station.behind = handovers_[g].get();
    groups_[g].programs = programs_of(*groups_[g].replica, station);
  }
  for (std::size_t stage = 0; stage < params.parallel.pipeline && sequence > 1; ++stage) {
    std::vector<Replica*> replicas;
    for (std::size_t g = 0; g < sequence; ++g)
      replicas.push_back(groups_[stage * sequence + g].replica.get());
    crossings_.push_back(std::make_unique<Crossing>(machine.params(), replicas));
  }
}

std::unique_ptr<PhasePrograms> Stages::programs_of(Replica& replica, const Station& station) const {
  if (params_.phase == Phase::kDecode)
    return std::make_unique<DecodeStep>(replica, params_, station, routing_);
  return std::make_unique<Prefill>(replica, params_, station, routing_);
}

void Stages::emit() {
  for (std::size_t stage = 0; stage < params_.parallel.pipeline; ++stage) emit_stage(stage);
}

// The groups of a stage advance step by step, because they gather from each other.
void Stages::emit_stage(std::size_t stage) {
  const auto each = [&](auto&& step) {
    for (std::size_t g = 0; g < params_.parallel.sequence; ++g) step(programs(stage, g));
  };
  for (std::size_t b = 0; b < params_.microbatches; ++b) {
    each([&](PhasePrograms& group) { group.begin(b); });
    for (std::size_t l = 0; l < params_.layers_of_stage(stage).count; ++l) {
      each([&](PhasePrograms& group) { group.prepare(l); });
      if (!crossings_.empty()) share(stage);
      each([&](PhasePrograms& group) { group.complete(l); });
    }
    each([&](PhasePrograms& group) { group.end(b); });
  }
}

void Stages::share(std::size_t stage) {
  const std::size_t sequence = params_.parallel.sequence, before = gathered_.size();
  std::vector<std::vector<PhasePrograms::Share>> shares;
  for (std::size_t g = 0; g < sequence; ++g) shares.push_back(programs(stage, g).shares());
  for (std::size_t i = 0; i < shares.front().size(); ++i) {
    const PhasePrograms::Share& first = shares.front()[i];
    const runtime::HbmView& window = first.brings.window;
    Communicator& communicator = crossings_[stage]->communicator(first.rank, first.physical_core);
    PlannedCollective planned = communicator.plan(Operation::kAllGather, window.dtype,
                                                  window.rows * window.columns * sequence, params_.algorithm);
    Ends ends;
    for (std::size_t g = 0; g < sequence; ++g) {
      ends.input.push_back(shares[g][i].brings);
      ends.output.push_back(shares[g][i].gets);
      groups_[stage * sequence + g].replica->region(fmt::format("{} all_gather", first.what));
    }
    communicator.add(planned, ends);
    gathered_of(before, first, communicator).planned.push_back(std::move(planned));
  }
}

// The index among the exchanges from `before` on.
Stages::Gathered& Stages::gathered_of(std::size_t before, const PhasePrograms::Share& share,
                                      const Communicator& communicator) {
  for (std::size_t i = before; i < gathered_.size(); ++i) {
    Gathered& one = gathered_[i];
    if (one.what == share.what && one.number == share.number && one.physical_core == share.physical_core)
      return one;
  }
  return gathered_.emplace_back(
      Gathered{share.what, share.number, share.physical_core, &communicator.group(), {}});
}

void Stages::load(Stopwatch& stopwatch) {
  for (const Group& group : groups_) group.replica->load(stopwatch);
}

void Stages::gather(runtime::Machine& machine, runtime::HostTensor& out) const {
  for (std::size_t g = handovers_.size(); g < groups_.size(); ++g) groups_[g].programs->gather(machine, out);
}

}  // namespace tahoma::workloads
