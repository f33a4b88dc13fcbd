// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/lowering/communicator.h"

#include <numeric>

#include "model/base/error.h"
#include "runtime/collective/cost/group_estimates.h"
#include "runtime/collective/lowering/lowering.h"
#include "runtime/collective/lowering/strips.h"
#include "runtime/collective/schedule/queue_assignment.h"

namespace tahoma::runtime::collective {

namespace {

// Two communicators with two sets for each of two queues leave semaphores for the transfers of six queues.
constexpr std::uint32_t kSignalsOfSet = 18;

// Returns a channel's part of every chunk; with unequal chunks each transfer has its own position.
Strip slice(const Strip& whole, const PlannedChannel& channel) {
  Strip strip = whole;
  if (!whole.starts.empty()) return strip;
  const std::uint64_t skipped = channel.first * isa::size_of(whole.block.dtype);
  strip.block.offset += skipped;
  strip.address += skipped;
  strip.block.columns = channel.columns;
  return strip;
}

}  // namespace

std::uint64_t chunk_pitch(const PlannedCollective& planned) {
  return aligned(planned.chunk_elements, planned.spec.dtype);
}

Communicator::Communicator(const model::MachineParams& machine, Group group,
                           std::vector<CoreProgram*> programs, Staging staging)
    : machine_(machine),
      group_(std::move(group)),
      programs_(std::move(programs)),
      staging_(std::move(staging)) {
  TAHOMA_INVARIANT(programs_.size() == group_.ranks(),
                   "the number of ranks differs from the number of programs");
}

PlannedCollective Communicator::plan(Operation operation, isa::DType dtype, std::uint64_t elements,
                                     Algorithm algorithm) {
  Spec spec;
  spec.problem = {operation, ranks(), 0, {}, Inputs::kSent};
  spec.dtype = dtype;
  spec.elements = elements;
  return cut(std::move(spec), algorithm);
}

PlannedCollective Communicator::plan(Operation operation, isa::DType dtype, std::vector<std::uint64_t> counts,
                                     Algorithm algorithm) {
  for (const std::uint64_t count : counts)
    TAHOMA_INVARIANT(count >= kLeast, "a chunk is too short to signal its receiver");
  Spec spec;
  spec.problem = {operation, ranks(), 0, {}, Inputs::kSent};
  spec.dtype = dtype;
  spec.elements = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  spec.counts = std::move(counts);
  return cut(std::move(spec), algorithm);
}

PlannedCollective Communicator::cut(Spec spec, Algorithm algorithm) {
  spec.signals = kSignalsOfSet;
  const std::uint64_t bytes = spec.elements * isa::size_of(spec.dtype) / vector_bytes(spec.problem, 1);
  const AlgorithmRow*& chosen = chosen_[{algorithm, spec.problem.operation, bytes}];
  if (chosen == nullptr)
    chosen = Estimates(machine_)
                 .choose(algorithm, spec.problem, group_, bytes, queues_of(group_), kSignalsOfSet)
                 .algorithm;
  spec.algorithm = chosen;
  PlannedCollective planned = cut_up(spec, group_);
  planned.spans.resize(ranks());
  return planned;
}

std::vector<CoreKernel>& Communicator::next_set(isa::Queue queue) {
  Sets& sets = sets_[queue];
  std::vector<CoreKernel>& set = sets.by_turn.at(sets.uses++ % 2);
  if (set.empty())
    for (const CoreProgram* program : programs_) set.push_back(program->at);
  for (CoreKernel& at : set) at.next = 0;
  return set;
}

// Rows of chunks, a separate tensor for the scheduler: a channel's access to a part of a chunk is a part of a
// row and does not overlap the accesses of other channels.
Strip Communicator::strip_of(std::uint32_t rank, const End& end, std::uint64_t pitch) const {
  const CoreKernel& at = programs_[rank]->at;
  Strip strip;
  const bool anywhere = !end.starts.empty();
  strip.block =
      at.kernel->beside(at.memory, static_cast<std::int64_t>(end.address - at.address), end.window.dtype,
                        anywhere ? 1 : end.places, anywhere ? end.window.rows * end.window.columns : pitch);
  const std::uint64_t before = end.descending ? (end.places - 1) * pitch * isa::size_of(end.window.dtype) : 0;
  strip.block.offset += before;
  strip.block.rows = 1;
  strip.starts = end.starts;
  strip.pitch = end.descending ? -static_cast<std::int64_t>(pitch) : static_cast<std::int64_t>(pitch);
  strip.places = end.places;
  strip.address = end.address + before;
  return strip;
}

void Communicator::add(PlannedCollective& planned, const Ends& ends) {
  std::vector<double> shares;
  for (const ChannelPlan& channel : planned.plan) shares.push_back(channel.share);
  Strips strips;
  for (std::uint32_t r = 0; r < ranks(); ++r) {
    strips.input.push_back(strip_of(r, ends.input[r], chunk_pitch(planned)));
    strips.output.push_back(strip_of(r, ends.output[r], chunk_pitch(planned)));
  }
  const std::vector<ChannelQueue> seats = channel_queues(machine_, group_, 0, shares);
  for (std::uint32_t c = 0; c < planned.channels.size(); ++c)
    if (planned.channels[c].columns > 0) run_channel(planned, c, seats[c].queue, ends, strips);
}

void Communicator::run_channel(PlannedCollective& planned, std::uint32_t number, isa::Queue queue,
                               const Ends& ends, const Strips& strips) {
  const PlannedChannel& at = planned.channels[number];
  std::vector<CoreKernel>& cores = next_set(queue);
  Channel channel{planned.plan[number].schedule, {}, at.units, at.piece, planned.spec.op};
  if (!planned.spec.counts.empty())
    for (std::uint32_t chunk = 0; chunk < planned.chunks; ++chunk)
      channel.firsts.push_back(planned.slice_of(number, chunk).first);
  std::vector<std::uint32_t> begins;
  for (std::uint32_t r = 0; r < ranks(); ++r) {
    channel.seats.push_back({&cores[r], queue, slice(strips.input[r], at), slice(strips.output[r], at)});
    programs_[r]->kernel.wait(queue, ends.input[r].window);
    begins.push_back(programs_[r]->mark(queue));
  }
  const Allocate allocate = [&](std::uint32_t rank, std::uint64_t elements) {
    return staging_(rank, channel.dtype(), elements);
  };
  const Completions completions = lower(channel, allocate);
  planned.pieces = std::max(planned.pieces, channel.pieces());
  for (std::uint32_t r = 0; r < ranks(); ++r)
    planned.spans[r].push_back({cores[r].core, queue, begins[r],
                                programs_[r]->mark_landed(queue, ends.output[r].window, completions[r])});
}

}  // namespace tahoma::runtime::collective
