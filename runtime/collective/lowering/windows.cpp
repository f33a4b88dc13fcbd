// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/lowering/windows.h"

#include <algorithm>

#include "runtime/collective/lowering/strips.h"

namespace tahoma::runtime::collective {

namespace {

// Elements of a slot that holds the hop's chunks, or the token of a lent input.
std::uint64_t slot_elements(const Pipeline& pipeline, std::uint32_t hop) {
  if (pipeline.transfer(hop).kind == TransferKind::kLend) return aligned(1, pipeline.channel().dtype());
  return aligned(span_of(pipeline.transfer(hop).chunks) * pipeline.channel().piece,
                 pipeline.channel().dtype());
}

// The result is 0 if nothing is staged; arrivals are then written to the output.
std::uint64_t slot_elements(const Pipeline& pipeline, const Box& box) {
  std::uint64_t slot = 0;
  for (const std::uint32_t hop : box.hops)
    if (combines(pipeline.transfer(hop).kind)) slot = std::max(slot, slot_elements(pipeline, hop));
  return slot;
}

// The result is 0 if each of the rank's sums is settled by one transfer, or accumulates in the output.
std::uint64_t sum_elements(const Pipeline& pipeline, std::uint32_t rank) {
  if (pipeline.seat(rank).output.block.dtype == pipeline.channel().dtype()) return 0;
  std::uint64_t elements = 0;
  for (const std::uint32_t hop : pipeline.hops_of(rank)) {
    const std::size_t sources = pipeline.hop(hop).staged.size() + (pipeline.hop(hop).from_input ? 1 : 0);
    if (pipeline.transfer(hop).kind == TransferKind::kSettle && sources > isa::kMostSources)
      elements = std::max(elements, slot_elements(pipeline, hop));
  }
  return elements;
}

}  // namespace

std::vector<std::uint64_t> staging_of(const Channel& channel) {
  const Pipeline pipeline(channel);
  std::vector<std::uint64_t> elements;
  for (std::uint32_t rank = 0; rank < channel.seats.size(); ++rank)
    elements.push_back(sum_elements(pipeline, rank));
  for (std::uint32_t box = 0; box < pipeline.boxes().size(); ++box)
    elements[pipeline.boxes()[box].owner] +=
        slot_elements(pipeline, pipeline.boxes()[box]) * pipeline.slots(box).slots();
  return elements;
}

Windows::Windows(const Pipeline& pipeline, const Allocate& allocate) : pipeline_(pipeline) {
  for (std::uint32_t number = 0; number < pipeline.boxes().size(); ++number) {
    const Box& box = pipeline.boxes()[number];
    const std::uint64_t slot = slot_elements(pipeline, box), all = slot * pipeline.slots(number).slots();
    of_box_.push_back(all == 0 ? Staging{} : Staging{allocate(box.owner, all), slot});
  }
  for (std::uint32_t rank = 0; rank < pipeline.problem().ranks; ++rank)
    sums_.push_back(kept_sums(rank, allocate));
}

HbmView Windows::kept_sums(std::uint32_t rank, const Allocate& allocate) const {
  const std::uint64_t elements = sum_elements(pipeline_, rank);
  if (elements == 0) return {};
  const CoreKernel& at = *pipeline_.seat(rank).at;
  const auto distance = static_cast<std::int64_t>(allocate(rank, elements) - at.address);
  return at.kernel->beside(at.memory, distance, dtype(), 1, elements);
}

// A chunk set in the staging slot of an arrival, as `viewer` addresses it.
HbmView Windows::staged(std::uint32_t arrival, const ChunkSet& chunks, std::uint32_t piece,
                        const Seat& viewer) const {
  const std::uint32_t box = pipeline_.hop(arrival).box;
  const BoxSlots& slots = pipeline_.slots(box);
  const Staging& staging = of_box_[box];
  const std::uint64_t slot = slots.number(arrival, piece) % slots.slots();
  const std::uint64_t place = chunks.first - pipeline_.transfer(arrival).chunks.first;
  const std::uint64_t pitch = pipeline_.channel().piece;
  const std::uint64_t elements = slot * staging.slot_elements + place * pitch;
  HbmView view = viewer.at->memory;
  view.dtype = dtype();
  view.rows = 1;
  view.columns = pipeline_.units(arrival, piece);
  view.distance =
      static_cast<std::int64_t>(staging.address + elements * isa::size_of(dtype()) - viewer.at->address);
  return spread(view, chunks, static_cast<std::int64_t>(pitch), 1);
}

HbmView Windows::held(const Strip& strip, const Problem::Held& places, std::uint32_t hop,
                      std::uint32_t piece) const {
  const ChunkSet& chunks = pipeline_.transfer(hop).chunks;
  const Channel& channel = pipeline_.channel();
  const HbmView first =
      cut(strip, places.place_of(chunks.first), channel.first_of(chunks.first) + piece * channel.piece,
          pipeline_.units(hop, piece));
  return spread(first, chunks, strip.pitch, places.stride);
}

HbmView Windows::output(std::uint32_t rank, std::uint32_t hop, std::uint32_t piece) const {
  const Schedule& schedule = pipeline_.schedule();
  return held(pipeline_.seat(rank).output, schedule.problem.output_of(rank, schedule.chunks), hop, piece);
}

HbmView Windows::sum_so_far(std::uint32_t hop, std::uint32_t piece) const {
  const Transfer& t = pipeline_.transfer(hop);
  if (sums_[t.from].columns == 0) return output(t.from, hop, piece);
  HbmView view = sums_[t.from];
  view.columns = pipeline_.units(hop, piece);
  return spread(view, t.chunks, static_cast<std::int64_t>(pipeline_.channel().piece), 1);
}

// Returns the data of a rank's strip as another rank addresses them.
HbmView Windows::seen_by(const Seat& viewer, const Strip& strip, HbmView view) const {
  const std::uint64_t address = strip.address + (view.offset - strip.block.offset);
  view.arg = viewer.at->memory.arg;
  view.offset = 0;
  view.origin = 0;
  view.distance = static_cast<std::int64_t>(address - viewer.at->address);
  return view;
}

HbmView Windows::token(HbmView view) const {
  view.columns = std::min(view.columns, aligned(1, dtype()));
  return view;
}

HbmView Windows::target(std::uint32_t hop, std::uint32_t piece) const {
  const Transfer& t = pipeline_.transfer(hop);
  const Seat& sender = pipeline_.sender(hop);
  if (t.kind == TransferKind::kCombine) return staged(hop, t.chunks, piece, sender);
  if (t.kind == TransferKind::kLend) return token(staged(hop, t.chunks, piece, sender));
  return seen_by(sender, pipeline_.receiver(hop).output, output(t.to, hop, piece));
}

// Returns the hop's chunks in the input of a rank.
HbmView Windows::input(std::uint32_t rank, std::uint32_t hop, std::uint32_t piece) const {
  const Schedule& schedule = pipeline_.schedule();
  return held(pipeline_.seat(rank).input, schedule.problem.input_of(rank, schedule.chunks), hop, piece);
}

std::vector<HbmView> Windows::sources(std::uint32_t hop, std::uint32_t piece) const {
  const Transfer& t = pipeline_.transfer(hop);
  const Seat& sender = pipeline_.sender(hop);
  if (t.kind == TransferKind::kLend) return {token(input(t.from, hop, piece))};
  if (pipeline_.hop(hop).from_output) return {output(t.from, hop, piece)};
  std::vector<HbmView> all;
  if (pipeline_.hop(hop).from_input) all.push_back(input(t.from, hop, piece));
  for (const std::uint32_t arrival : pipeline_.hop(hop).staged) {
    const Transfer& from = pipeline_.transfer(arrival);
    if (from.kind == TransferKind::kLend)
      all.push_back(seen_by(sender, pipeline_.seat(from.from).input, input(from.from, hop, piece)));
    else
      all.push_back(staged(arrival, t.chunks, piece, sender));
  }
  return all;
}

}  // namespace tahoma::runtime::collective
