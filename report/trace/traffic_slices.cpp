// SPDX-License-Identifier: Apache-2.0
#include "report/trace/traffic_slices.h"

#include <fmt/format.h>

#include <array>

#include "isa/table/table_names.h"
#include "runtime/run/core_name.h"

namespace tahoma::runtime {

namespace {

std::string ring_path(const Timeline& timeline, std::uint32_t core, std::uint8_t ring) {
  return fmt::format("{}.dma.ring{:02}", core_path(timeline.machine, core), ring);
}

std::uint64_t femtoseconds(base::Duration d) { return static_cast<std::uint64_t>(d.fs); }

}  // namespace

void TransferSlices::transfer(const base::TransferActivity& a) {
  Timeline& t = timeline_;
  if (!t.admits(TraceKind::kDma, a.core, a.rung, a.end)) return;
  const PacketWriter::Track track =
      ring_of(a.core, a.ring).lanes.place(t.tracks, ring_path(t, a.core, a.ring), a.rung, a.end);
  const InstructionPosition at{a.core, a.queue, a.index};
  const std::array<TraceValue, 10> values{
      {{TraceArgument::kStart, femtoseconds(a.rung)},
       {TraceArgument::kLength, femtoseconds(a.end - a.rung)},
       {TraceArgument::kInstruction, t.texts.text(at)},
       {TraceArgument::kNkiIsa, t.texts.nki_names(at)},
       {TraceArgument::kQueue, isa::name_of(static_cast<isa::Queue>(a.queue))},
       {TraceArgument::kIndex, std::uint64_t{a.index}},
       {TraceArgument::kRegion, t.texts.region(at)},
       {TraceArgument::kFirstData, static_cast<std::uint64_t>(a.start.fs / 1'000'000)},
       {TraceArgument::kPackets, a.packets},
       {TraceArgument::kBytes, a.bytes}}};
  const std::array<std::uint64_t, 1> flows{a.cause};
  const std::string name = t.texts.name(at);
  const std::size_t arrows = t.selection.flows && a.cause != 0 ? 1 : 0;
  t.writer.begin(track, TraceKind::kDma, name, a.rung, values, {flows.data(), arrows});
  t.writer.end(track, a.end);
}

void TransferSlices::ring(const base::RingActivity& a) {
  Timeline& t = timeline_;
  if (!t.admits(TraceKind::kQueues, a.core, a.when, a.when)) return;
  Ring& ring = ring_of(a.core, a.ring);
  if (ring.held == PacketWriter::kRoot)
    ring.held = t.tracks.counter(ring_path(t, a.core, a.ring) + "_held", "transfers");
  t.writer.count(ring.held, a.when, static_cast<double>(a.held));
}

void LinkSlices::link(const base::LinkActivity& a) {
  const auto [known, added] = numbers_.try_emplace(a.path, links_.size());
  if (added) links_.emplace_back();
  Link& link = links_[known->second];
  base::LinkActivity& burst = link.burst;
  if (link.packets > 0 && a.start == burst.end && a.from_chip == burst.from_chip &&
      a.to_chip == burst.to_chip) {
    burst.end = a.end;
    burst.payload_bytes += a.payload_bytes;
    burst.wire_bytes += a.wire_bytes;
    ++link.packets;
    return;
  }
  if (link.packets > 0) write(link);
  burst = a;
  link.packets = 1;
}

void LinkSlices::write(Link& link) {
  Timeline& t = timeline_;
  const base::LinkActivity& a = link.burst;
  if (!t.tally.admits(TraceKind::kLinks, t.shows_chip(a.from_chip) || t.shows_chip(a.to_chip), a.start,
                      a.end))
    return;
  if (link.track == PacketWriter::kRoot) link.track = t.tracks.track(a.path);
  const std::array<TraceValue, 5> values{{{TraceArgument::kStart, femtoseconds(a.start)},
                                          {TraceArgument::kLength, femtoseconds(a.end - a.start)},
                                          {TraceArgument::kPackets, link.packets},
                                          {TraceArgument::kBytes, a.payload_bytes},
                                          {TraceArgument::kWireBytes, a.wire_bytes}}};
  const std::string name = fmt::format("chip {} to {}", a.from_chip, a.to_chip);
  t.writer.begin(link.track, TraceKind::kLinks, name, a.start, values);
  t.writer.end(link.track, a.end);
}

void LinkSlices::close() {
  for (Link& link : links_)
    if (link.packets > 0) write(link);
}

}  // namespace tahoma::runtime
