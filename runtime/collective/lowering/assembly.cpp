// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/lowering/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/builder/operations.h"
#include "runtime/collective/algorithm/recursive.h"
#include "runtime/collective/lowering/lowering.h"

namespace tahoma::runtime::collective {

struct Assembly::CoreState {
  CoreState(std::uint32_t number, Machine& machine, std::size_t lane,
            const std::shared_ptr<OperationKinds>& kinds)
      : program(machine, number, fmt::format("collective_{}", number), kinds), at(program.at) {
    at.lane = lane;
  }
  CoreProgram program;
  CoreKernel& at;

  // A rank that has left a barrier may raise the semaphores of the next collective while others still wait in
  // the barrier. Barriers therefore have semaphores of their own, and two consecutive barriers use different
  // ones. A rank that enters the barrier after those two knows that all ranks have left the first.
  std::array<std::vector<CoreKernel::Counter>, 2> of_barriers;
  std::size_t barriers = 0;
  void begin_barrier() {
    std::swap(at.counters, of_barriers.at(barriers % 2));
    at.next = 0;
  }
  void end_barrier() {
    std::swap(at.counters, of_barriers.at(barriers++ % 2));
    at.next = 0;
  }
};

Assembly::Assembly(Machine& machine, std::vector<Group> groups)
    : machine_(machine), groups_(std::move(groups)) {
  for (auto& kinds : kinds_) kinds = std::make_shared<OperationKinds>();
}

Assembly::~Assembly() = default;

Assembly::CoreState& Assembly::core(std::uint32_t number) {
  const std::size_t lane = cores_.size() % kinds_.size();
  auto& state = cores_[number];
  if (!state) state = std::make_unique<CoreState>(number, machine_, lane, kinds_[lane]);
  return *state;
}

Strip Assembly::strip(std::uint32_t number, const Tensor& tensor) {
  Strip strip;
  strip.block = core(number).program.view(tensor);
  strip.block.rows = 1;
  strip.pitch = static_cast<std::int64_t>(tensor.shape[1]);
  strip.places = tensor.shape[0];
  strip.address = tensor.address;
  return strip;
}

Seat Assembly::seat(const ChannelQueue& place, const Problem& problem, std::uint32_t rank,
                    PlannedChannel& channel, std::uint32_t chunks, isa::DType dtype) {
  Seat seat{&core(place.core).at, place.queue, {}, {}};
  const std::uint64_t columns = std::max<std::uint64_t>(channel.columns, access_elements(dtype));
  const auto tensor = [&](const char* name, std::uint32_t rows) {
    return machine_.allocate(place.core, name, dtype, {std::max(1U, rows), columns});
  };
  const std::uint32_t ends = problem.output_of(rank, chunks).count;
  channel.input.push_back(tensor("input", problem.input_of(rank, chunks).count));
  // A rank that ends with no part of a reduction may still fold a part of it.
  channel.output.push_back(tensor("output", ends == 0 && problem.reduces() ? chunks : ends));
  machine_.declare_input(channel.input.back());
  seat.input = strip(place.core, channel.input.back());
  seat.output = strip(place.core, channel.output.back());
  return seat;
}

Allocate Assembly::allocator(const Channel& channel) {
  return [this, &channel](std::uint32_t rank, std::uint64_t elements) {
    return machine_.allocate(channel.seats[rank].at->core, "staging", channel.dtype(), {elements}).address;
  };
}

std::uint32_t Assembly::mark(const Seat& seat) { return core(seat.at->core).program.mark(seat.queue); }

PlannedCollective Assembly::add(std::size_t group_index, const Spec& spec) {
  const Group& group = groups_[group_index];
  PlannedCollective planned = cut_up(spec, group);
  std::vector<double> shares;
  for (const ChannelPlan& channel : planned.plan) shares.push_back(channel.share);
  std::vector<std::vector<ChannelQueue>> by_rank;
  for (std::uint32_t r = 0; r < group.ranks(); ++r)
    by_rank.push_back(channel_queues(machine_.params(), group, r, shares));

  planned.spans.resize(group.ranks());
  for (std::uint32_t c = 0; c < planned.channels.size(); ++c) {
    PlannedChannel& at = planned.channels[c];
    if (at.columns == 0) continue;
    Channel channel{planned.plan[c].schedule, {}, at.units, at.piece, spec.op};
    for (std::uint32_t r = 0; r < group.ranks(); ++r)
      channel.seats.push_back(seat(by_rank[r][c], spec.problem, r, at, planned.chunks, spec.dtype));
    planned.pieces = std::max(planned.pieces, channel.pieces());
    std::vector<std::uint32_t> begins;
    for (const Seat& seat : channel.seats) {
      seat.at->kernel->region(planned.spec.name());
      begins.push_back(mark(seat));
    }
    lower(channel, allocator(channel));
    for (std::uint32_t r = 0; r < group.ranks(); ++r) {
      const Seat& seat = channel.seats[r];
      planned.spans[r].push_back({seat.at->core, seat.queue, begins[r], mark(seat)});
    }
  }
  // Ranks that have nothing to move still begin and end.
  for (std::uint32_t r = 0; r < group.ranks(); ++r) {
    if (!planned.spans[r].empty()) continue;
    const ChannelQueue& place = by_rank[r].front();
    CoreProgram& program = core(place.core).program;
    program.kernel.region(planned.spec.name());
    const std::uint32_t begin = program.mark(place.queue);
    planned.spans[r].push_back({place.core, place.queue, begin, program.mark(place.queue)});
  }
  return planned;
}

void Assembly::barrier() {
  // All queues of all groups exchange tokens at the same distances in the same rounds, so they leave
  // together: what follows does not wait for the slowest of them. Every queue waits for its own data before
  // it takes part, so no transfer is in flight after the barrier.
  Channel channel;
  PlannedChannel tokens;
  tokens.columns = access_elements(isa::DType::kUint8);
  Problem problem{Operation::kAllReduce, 0, 0, {}};
  std::vector<ChannelQueue> all;
  for (const Group& group : groups_)
    for (std::uint32_t r = 0; r < group.ranks(); ++r)
      for (const ChannelQueue& place :
           channel_queues(machine_.params(), group, r, std::vector<double>(queues_of(group), 1)))
        all.push_back(place);
  problem.ranks = static_cast<std::uint32_t>(all.size());
  for (std::uint32_t s = 0; s < problem.ranks; ++s)
    channel.seats.push_back(seat(all[s], problem, s, tokens, 1, isa::DType::kUint8));
  channel.schedule = std::make_shared<const Schedule>(doubling(problem));
  channel.units = {tokens.columns};
  channel.piece = tokens.columns;
  channel.op = isa::AluOp::kMax;
  for (auto& [number, state] : cores_) {
    state->program.kernel.region("barrier");
    state->begin_barrier();
  }
  lower(channel, allocator(channel));
  for (auto& [number, state] : cores_) state->end_barrier();
}

void Assembly::load(Stopwatch& stopwatch) {
  std::vector<CoreProgram*> programs;
  for (auto& [number, state] : cores_) programs.push_back(&state->program);
  const auto finished = finish_programs(machine_, programs);
  for (std::size_t n = 0; n < programs.size(); ++n) {
    const std::uint32_t core = programs[n]->at.core;
    stopwatch.expect(core, *finished[n]);
    machine_.load(core, finished[n], programs[n]->arguments());
  }
  kinds_ = {};
}

}  // namespace tahoma::runtime::collective
