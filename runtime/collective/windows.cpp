// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/windows.h"

#include <algorithm>

#include "runtime/collective/strips.h"

namespace tahoma::runtime::collective {

namespace {

std::uint64_t unit_elements(const Seat& seat) {
  const HbmView& block = seat.input.block.columns > 0 ? seat.input.block : seat.output.block;
  return block.rows > 1 ? block.columns : 1;
}

}  // namespace

Windows::Windows(const Pipeline& pipeline, const Allocate& allocate)
    : pipeline_(pipeline), unit_(unit_elements(pipeline.seat(0))) {
  for (std::uint32_t box = 0; box < pipeline.boxes().size(); ++box) of_box_.push_back(stage(box, allocate));
}

Windows::Staging Windows::stage(std::uint32_t number, const Allocate& allocate) const {
  const Box& box = pipeline_.boxes()[number];
  std::uint64_t chunks = 0;
  for (const std::uint32_t hop : box.hops)
    if (pipeline_.transfer(hop).kind == TransferKind::kCombine)
      chunks = std::max<std::uint64_t>(chunks, span_of(pipeline_.transfer(hop).chunks));
  if (chunks == 0) return {};
  const std::uint64_t slot = aligned(chunks * pipeline_.channel().piece * unit_, pipeline_.seat(0));
  const std::uint32_t core = pipeline_.seat(box.owner).at->core;
  return {allocate(core, dtype(), slot * pipeline_.slots(number).slots()), slot};
}

// A chunk set in the staging slot of an arrival, as `viewer` addresses it.
HbmView Windows::staged(std::uint32_t arrival, const ChunkSet& chunks, std::uint32_t piece,
                        const Seat& viewer) const {
  const std::uint32_t box = pipeline_.hop(arrival).box;
  const BoxSlots& slots = pipeline_.slots(box);
  const Staging& staging = of_box_[box];
  const std::uint64_t slot = slots.number(arrival, piece) % slots.slots();
  const std::uint64_t place = chunks.first - pipeline_.transfer(arrival).chunks.first;
  const std::uint64_t pitch = pipeline_.channel().piece * unit_;
  const std::uint64_t elements = slot * staging.slot_elements + place * pitch;
  const std::uint64_t units = pipeline_.units(arrival, piece);
  HbmView view = viewer.at->memory;
  view.dtype = dtype();
  view.rows = unit_ > 1 ? units : 1;
  view.columns = unit_ > 1 ? unit_ : units;
  view.row_stride = static_cast<std::int64_t>(unit_);
  view.distance =
      static_cast<std::int64_t>(staging.address + elements * isa::size_of(dtype()) - viewer.at->address);
  return spread(view, chunks, static_cast<std::int64_t>(pitch), 1);
}

HbmView Windows::held(const Strip& strip, const Problem::Held& places, std::uint32_t hop,
                      std::uint32_t piece) const {
  const ChunkSet& chunks = pipeline_.transfer(hop).chunks;
  const HbmView first = cut(strip, places.place_of(chunks.first), piece * pipeline_.channel().piece,
                            pipeline_.units(hop, piece));
  return spread(first, chunks, strip.pitch, places.stride);
}

HbmView Windows::output(std::uint32_t rank, std::uint32_t hop, std::uint32_t piece) const {
  const Schedule& schedule = pipeline_.schedule();
  return held(pipeline_.seat(rank).output, schedule.problem.output_of(rank, schedule.chunks), hop, piece);
}

HbmView Windows::target(std::uint32_t hop, std::uint32_t piece) const {
  const Transfer& t = pipeline_.transfer(hop);
  const Seat& sender = pipeline_.sender(hop);
  if (t.kind == TransferKind::kCombine) return staged(hop, t.chunks, piece, sender);
  HbmView view = output(t.to, hop, piece);
  const Strip& strip = pipeline_.receiver(hop).output;
  const std::uint64_t address = strip.address + (view.offset - strip.block.offset);
  view.arg = sender.at->memory.arg;
  view.offset = 0;
  view.origin = 0;
  view.distance = static_cast<std::int64_t>(address - sender.at->address);
  return view;
}

std::vector<HbmView> Windows::sources(std::uint32_t hop, std::uint32_t piece) const {
  const Transfer& t = pipeline_.transfer(hop);
  const Schedule& schedule = pipeline_.schedule();
  if (pipeline_.hop(hop).from_output) return {output(t.from, hop, piece)};
  std::vector<HbmView> all;
  if (pipeline_.hop(hop).from_input)
    all.push_back(
        held(pipeline_.sender(hop).input, schedule.problem.input_of(t.from, schedule.chunks), hop, piece));
  for (const std::uint32_t arrival : pipeline_.hop(hop).staged)
    all.push_back(staged(arrival, t.chunks, piece, pipeline_.sender(hop)));
  return all;
}

}  // namespace tahoma::runtime::collective
