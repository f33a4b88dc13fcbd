// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "runtime/collective/sizing.h"
#include "runtime/collective/tree.h"
#include "runtime/placement.h"

namespace tahoma::runtime::collective {

namespace {

constexpr std::uint64_t kAccess = 64;  // bytes of one access of HBM: slices are whole ones

std::uint64_t granule(isa::DType dtype) { return kAccess / isa::size_of(dtype); }

// Elements of each chunk by channel: shares of the chunk in whole granules.
std::vector<Placed::Slice> slices(const std::vector<ChannelPlan>& plan, std::uint64_t chunk,
                                  isa::DType dtype) {
  const std::uint64_t all = (chunk + granule(dtype) - 1) / granule(dtype);
  std::vector<Placed::Slice> result;
  double share = 0;
  std::uint64_t first = 0;
  for (const ChannelPlan& channel : plan) {
    share += channel.share;
    const bool last = result.size() + 1 == plan.size();
    const std::uint64_t end =
        last ? all : static_cast<std::uint64_t>(std::llround(share * static_cast<double>(all)));
    result.push_back({first * granule(dtype), (end - first) * granule(dtype)});
    first = end;
  }
  return result;
}

// Columns of a piece: whole granules.
std::uint64_t piece_of(const Spec& spec, const Schedule& schedule, std::uint64_t columns,
                       std::uint32_t signals) {
  const std::uint64_t bytes = columns * isa::size_of(spec.dtype), unit = granule(spec.dtype);
  const std::uint64_t pieces = spec.piece_bytes > 0
                                   ? std::max<std::uint64_t>(1, bytes / spec.piece_bytes)
                                   : pieces_for(schedule, bytes, !spec.counts.empty(), signals);
  return std::max(unit, ((columns + pieces - 1) / pieces + unit - 1) / unit * unit);
}

// A sum is rounded when it leaves a rank, in as many rounds as combine, and when it is settled.
std::uint32_t roundings_of(const Schedule& schedule) {
  std::set<std::uint32_t> rounds;
  for (const Transfer& t : schedule.transfers)
    if (t.kind == TransferKind::kCombine) rounds.insert(t.round);
  return static_cast<std::uint32_t>(rounds.size()) + 1 + schedule.problem.ranks / (isa::kMostSources - 1);
}

}  // namespace

struct Assembly::CoreState {
  CoreState(std::uint32_t number, Machine& machine, const std::string& name)
      : kernel(name, machine.params()),
        memory(machine.allocate(number, "origin", isa::DType::kUint8, {kAccess})) {
    at.core = number;
    at.kernel = &kernel;
    at.memory = kernel.argument("memory", isa::DType::kUint8, 1, kAccess);
    at.address = memory.address;
    at.own = kernel.own_core("core");
  }
  Kernel kernel;
  Tensor memory;
  CoreKernel at;
  std::vector<CoreKernel::Counter> of_barriers;
  std::map<isa::Queue, std::uint32_t> marks;

  // Who has left a barrier may already raise the semaphores of what follows, while others still wait in it:
  // the barriers' are their own.
  void change_counters() {
    std::swap(at.counters, of_barriers);
    at.next = 0;
  }
};

Placed::Slice Placed::slice_of(std::uint32_t channel, std::uint32_t chunk) const {
  const PlacedChannel& at = channels[channel];
  if (!spec.counts.empty()) {
    const Part part = part_of(spec.counts[chunk], channels.size(), channel);
    return {part.first, part.count};
  }
  return {at.first, at.columns};
}

Assembly::Assembly(Machine& machine, std::vector<Group> groups)
    : machine_(machine), groups_(std::move(groups)) {}

Assembly::~Assembly() = default;

Assembly::CoreState& Assembly::core(std::uint32_t number) {
  auto& state = cores_[number];
  if (!state) state = std::make_unique<CoreState>(number, machine_, fmt::format("collective_{}", number));
  return *state;
}

std::uint32_t Assembly::queues_of(const Group& group) const {
  return static_cast<std::uint32_t>(2 * group.cores.front().size());
}

// The channel with most goes to the first core, and so on; the second queues are dealt backwards.
std::vector<Assembly::Place> Assembly::places(const Group& group, std::uint32_t rank,
                                              const std::vector<double>& shares) const {
  std::vector<std::uint32_t> cores = group.cores[rank];
  const std::uint64_t per_stack =
      std::max<std::uint64_t>(1, machine_.params().chip.cores / machine_.params().chip.hbm.stacks);
  std::stable_sort(cores.begin(), cores.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return a % per_stack < b % per_stack; });
  std::vector<std::size_t> by_share(shares.size());
  std::iota(by_share.begin(), by_share.end(), std::size_t{0});
  std::stable_sort(by_share.begin(), by_share.end(),
                   [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  std::vector<Place> result(shares.size());
  for (std::size_t i = 0; i < by_share.size(); ++i) {
    const bool second = i >= cores.size();
    const std::size_t at = second ? 2 * cores.size() - 1 - i : i;
    result[by_share[i]] = {cores[at], second ? isa::Queue::kCc1 : isa::Queue::kCc0};
  }
  return result;
}

Strip Assembly::strip(const CoreKernel& at, const Tensor& tensor) const {
  const auto distance = static_cast<std::int64_t>(tensor.address - at.address);
  const std::uint64_t rows = tensor.shape[0], columns = tensor.shape[1];
  Strip strip;
  strip.block = at.kernel->beside(at.memory, distance, tensor.dtype, rows, columns);
  strip.block.rows = 1;
  strip.pitch = static_cast<std::int64_t>(columns);
  strip.places = rows;
  strip.address = tensor.address;
  return strip;
}

Seat Assembly::seat(const Place& place, const Problem& problem, std::uint32_t rank, PlacedChannel& channel,
                    std::uint32_t chunks, isa::DType dtype) {
  Seat seat{&core(place.core).at, place.queue, {}, {}};
  const std::uint64_t columns = std::max<std::uint64_t>(channel.columns, granule(dtype));
  const auto tensor = [&](const char* name, std::uint32_t rows) {
    return machine_.allocate(place.core, name, dtype, {std::max(1U, rows), columns});
  };
  const std::uint32_t ends = problem.output_of(rank, chunks).count;
  channel.input.push_back(tensor("input", problem.input_of(rank, chunks).count));
  // Who ends with nothing of a reduction may still be the one that folds a part of it.
  channel.output.push_back(tensor("output", ends == 0 && problem.reduces() ? chunks : ends));
  machine_.declare_input(channel.input.back());
  seat.input = strip(*seat.at, channel.input.back());
  seat.output = strip(*seat.at, channel.output.back());
  return seat;
}

Allocate Assembly::allocator() {
  return [this](std::uint32_t core, isa::DType dtype, std::uint64_t elements) {
    return machine_.allocate(core, "staging", dtype, {elements}).address;
  };
}

Stopwatch::Span Assembly::run(const Seat& seat, bool begins) {
  isa::Instruction mark;
  mark.op = isa::Opcode::kNop;
  seat.at->kernel->emit(seat.queue, mark);
  std::uint32_t& marks = core(seat.at->core).marks[seat.queue];
  ++marks;
  return {seat.at->core, seat.queue, marks - (begins ? 1 : 2), marks - (begins ? 0 : 1)};
}

Placed Assembly::add(std::size_t group_index, const Spec& spec) {
  const Group& group = groups_[group_index];
  Placed placed;
  placed.spec = spec;
  const std::uint32_t queues = queues_of(group);
  const std::uint32_t wanted = spec.channels == 0
                                   ? channels_for(*spec.algorithm, spec.problem, group.grid,
                                                  spec.elements * isa::size_of(spec.dtype), queues)
                                   : std::min(spec.channels, queues);
  placed.plan = spec.algorithm->plan(spec.problem, group.grid, wanted);
  const std::vector<ChannelPlan>& plan = placed.plan;
  placed.chunks = plan.front().schedule->chunks;
  placed.chunk_elements = spec.counts.empty() ? (spec.elements + placed.chunks - 1) / placed.chunks
                                              : *std::max_element(spec.counts.begin(), spec.counts.end());
  const std::vector<Placed::Slice> parts = slices(plan, placed.chunk_elements, spec.dtype);
  std::vector<double> shares;
  for (const ChannelPlan& channel : plan) shares.push_back(channel.share);
  std::vector<std::vector<Place>> seats;
  for (std::uint32_t r = 0; r < group.ranks(); ++r) seats.push_back(places(group, r, shares));

  const std::uint32_t per_core = plan.size() > group.cores.front().size() ? 2 : 1;
  placed.spans.resize(group.ranks());
  std::map<std::pair<const Schedule*, std::uint64_t>, std::uint64_t> piece_by;
  for (std::uint32_t c = 0; c < plan.size(); ++c) {
    PlacedChannel& at = placed.channels.emplace_back();
    at.first = parts[c].first;
    at.columns = parts[c].count;
    Channel channel;
    channel.schedule = plan[c].schedule;
    channel.op = spec.op;
    if (spec.counts.empty()) {
      channel.units = {at.columns};
    } else {
      for (const std::uint64_t count : spec.counts)
        channel.units.push_back(part_of(count, plan.size(), c).count);
      at.columns = *std::max_element(channel.units.begin(), channel.units.end());
    }
    if (at.columns == 0) continue;
    for (std::uint32_t r = 0; r < group.ranks(); ++r)
      channel.seats.push_back(seat(seats[r][c], spec.problem, r, at, placed.chunks, spec.dtype));
    std::uint64_t& piece = piece_by[{channel.schedule.get(), at.columns}];
    if (piece == 0) piece = piece_of(spec, *channel.schedule, at.columns, kSignals / per_core);
    channel.piece = piece;
    placed.pieces = std::max(placed.pieces, channel.pieces());
    placed.roundings = std::max(placed.roundings, roundings_of(*channel.schedule));
    for (const Seat& seat : channel.seats) run(seat, true);
    lower(channel, allocator());
    for (std::uint32_t r = 0; r < group.ranks(); ++r) placed.spans[r].push_back(run(channel.seats[r], false));
  }
  return placed;
}

void Assembly::barrier() {
  // All queues of all groups, one behind the other up a tree and down again. Every queue waits for its own
  // data before it takes part, so behind the barrier nothing is under way.
  Channel channel;
  PlacedChannel tokens;
  tokens.columns = granule(isa::DType::kUint8);
  Problem problem{Operation::kAllReduce, 0, 0, {}};
  std::vector<Place> all;
  for (const Group& group : groups_)
    for (std::uint32_t r = 0; r < group.ranks(); ++r)
      for (const Place& place : places(group, r, std::vector<double>(queues_of(group), 1)))
        all.push_back(place);
  problem.ranks = static_cast<std::uint32_t>(all.size());
  for (std::uint32_t s = 0; s < problem.ranks; ++s)
    channel.seats.push_back(seat(all[s], problem, s, tokens, 1, isa::DType::kUint8));
  channel.schedule = tree_plan(problem, {}, 1).front().schedule;
  channel.units = {tokens.columns};
  channel.piece = tokens.columns;
  channel.op = isa::AluOp::kMax;
  for (auto& [number, state] : cores_) state->change_counters();
  lower(channel, allocator());
  for (auto& [number, state] : cores_) state->change_counters();
}

void Assembly::load(Stopwatch& stopwatch) {
  for (auto& [number, state] : cores_) {
    auto program = std::make_shared<const isa::Program>(state->kernel.finish());
    stopwatch.expect(number, *program);
    machine_.load(number, program, {state->memory.address, number});
  }
}

}  // namespace tahoma::runtime::collective
