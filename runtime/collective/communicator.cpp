// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/communicator.h"

#include "model/base/error.h"
#include "runtime/collective/choice.h"
#include "runtime/collective/lowering.h"
#include "runtime/collective/seating.h"
#include "runtime/collective/strips.h"

namespace tahoma::runtime::collective {

namespace {

// Two communicators with two sets for each of two queues leave room for the transfers of six queues.
constexpr std::uint32_t kSignalsOfSet = 18;

// What a channel has of every chunk.
Strip slice(const Strip& whole, const PlacedChannel& channel) {
  Strip strip = whole;
  const std::uint64_t skipped = channel.first * isa::size_of(whole.block.dtype);
  strip.block.offset += skipped;
  strip.address += skipped;
  strip.block.columns = channel.columns;
  return strip;
}

HbmView all_of(const Strip& strip) {
  HbmView view = strip.block;
  view.rows = strip.places;
  view.row_stride = strip.pitch;
  return view;
}

}  // namespace

std::uint64_t chunk_pitch(const Placed& placed) { return aligned(placed.chunk_elements, placed.spec.dtype); }

Communicator::Communicator(const model::MachineParams& machine, Group group,
                           std::vector<CoreProgram*> programs, Staging staging)
    : machine_(machine),
      group_(std::move(group)),
      programs_(std::move(programs)),
      staging_(std::move(staging)) {
  TAHOMA_INVARIANT(programs_.size() == group_.ranks(), "a rank without a program, or a program without one");
}

Placed Communicator::plan(Operation operation, isa::DType dtype, std::uint64_t elements,
                          const std::string& algorithm) const {
  Spec spec;
  spec.problem = {operation, ranks(), 0, {}};
  spec.dtype = dtype;
  spec.elements = elements;
  spec.signals = kSignalsOfSet;
  spec.algorithm = choose(algorithm, spec.problem, group_.grid, elements * isa::size_of(dtype),
                          queues_of(group_), CostModel(machine_, group_), kSignalsOfSet)
                       .algorithm;
  Placed placed = cut_up(spec, group_);
  placed.spans.resize(ranks());
  return placed;
}

std::vector<CoreKernel>& Communicator::next_set(isa::Queue queue) {
  Sets& sets = sets_[queue];
  std::vector<CoreKernel>& set = sets.by_turn.at(sets.uses++ % 2);
  if (set.empty())
    for (const CoreProgram* program : programs_) set.push_back(program->at);
  for (CoreKernel& at : set) at.next = 0;
  return set;
}

void Communicator::add(Placed& placed, const Ends& ends) {
  std::vector<double> shares;
  for (const ChannelPlan& channel : placed.plan) shares.push_back(channel.share);
  const std::vector<Place> seats = places(machine_, group_, 0, shares);
  for (std::uint32_t c = 0; c < placed.channels.size(); ++c)
    if (placed.channels[c].columns > 0) run_channel(placed, c, seats[c].queue, ends);
}

void Communicator::run_channel(Placed& placed, std::uint32_t number, isa::Queue queue, const Ends& ends) {
  const PlacedChannel& at = placed.channels[number];
  std::vector<CoreKernel>& cores = next_set(queue);
  Channel channel{placed.plan[number].schedule, {}, at.units, at.piece, placed.spec.op};
  std::vector<std::uint32_t> begins;
  for (std::uint32_t r = 0; r < ranks(); ++r) {
    channel.seats.push_back({&cores[r], queue, slice(ends.input[r], at), slice(ends.output[r], at)});
    programs_[r]->kernel.wait(queue, all_of(channel.seats[r].input));
    begins.push_back(programs_[r]->mark(queue));
  }
  const Allocate allocate = [&](std::uint32_t rank, std::uint64_t elements) {
    return staging_(rank, channel.dtype(), elements);
  };
  const Completions completions = lower(channel, allocate);
  placed.pieces = std::max(placed.pieces, channel.pieces());
  for (std::uint32_t r = 0; r < ranks(); ++r) {
    const auto& level = completions[r];
    const std::uint32_t ends_at =
        level ? programs_[r]->mark_landed(queue, all_of(channel.seats[r].output), level->signal, level->value)
              : programs_[r]->mark(queue);
    placed.spans[r].push_back({cores[r].core, queue, begins[r], ends_at});
  }
}

}  // namespace tahoma::runtime::collective
