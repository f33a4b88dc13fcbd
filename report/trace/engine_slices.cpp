// SPDX-License-Identifier: Apache-2.0
#include "report/trace/engine_slices.h"

#include <array>

#include "isa/table/table.h"
#include "isa/table/table_names.h"
#include "runtime/run/core_name.h"

namespace tahoma::runtime {

using base::StallReason, base::Time;

namespace {

std::string path_of(const Timeline& timeline, std::uint32_t core, std::uint8_t queue) {
  return core_path(timeline.machine, core) + '.' + std::string(isa::name_of(static_cast<isa::Queue>(queue)));
}

// The arrows of the changes that the instruction makes and of the one that it waited for, if any.
std::vector<std::uint64_t> flows_of(const base::InstructionActivity& activity) {
  std::vector<std::uint64_t> flows;
  for (const std::uint64_t flow : {activity.cause, activity.released_by})
    if (flow != 0) flows.push_back(flow);
  return flows;
}

bool loads_weights(const Timeline& timeline, const base::InstructionActivity& a) {
  const isa::Instruction& i = timeline.texts.instruction({a.core, a.queue, a.index});
  return isa::row_of(i.op).cost == isa::CostClass::kWeightLoad;
}

std::uint64_t number(base::Duration d) { return static_cast<std::uint64_t>(d.fs); }
std::uint64_t nanoseconds(Time t) { return static_cast<std::uint64_t>(t.fs / 1'000'000); }

}  // namespace

EngineSlices::EngineSlices(Timeline& timeline)
    : timeline_(timeline), queues_(timeline.machine.cores() * isa::kQueueCount) {}

void EngineSlices::stretch(const base::StretchActivity& stretch) {
  if (stretch.name == StallReason::kIdle) return;
  std::vector<base::StretchActivity>& pending = queue_of(stretch.core, stretch.queue).pending;
  if (!pending.empty() && pending.back().name == stretch.name)
    pending.back().end = stretch.end;
  else
    pending.push_back(stretch);
}

// Arrows begin and end in the busy stretch of the instruction, or else in its last stretch.
void EngineSlices::instruction(const base::InstructionActivity& activity) {
  Queue& queue = queue_of(activity.core, activity.queue);
  std::size_t arrows = queue.pending.empty() ? 0 : queue.pending.size() - 1;
  for (std::size_t n = 0; n < queue.pending.size(); ++n)
    if (queue.pending[n].name == StallReason::kBusy) arrows = n;
  for (std::size_t n = 0; n < queue.pending.size(); ++n)
    write(queue, queue.pending[n], &activity, n == arrows);
  const bool took_no_time = queue.pending.empty();
  queue.pending.clear();
  if (took_no_time || loads_weights(timeline_, activity)) write_behind(queue, activity, took_no_time);
}

void EngineSlices::write(Queue& queue, const base::StretchActivity& stretch,
                         const base::InstructionActivity* of, bool with_flows) {
  Timeline& t = timeline_;
  const bool busy = stretch.name == StallReason::kBusy;
  const TraceKind kind = busy ? TraceKind::kEngines : TraceKind::kWaits;
  if (!t.admits(kind, stretch.core, stretch.start, stretch.end)) return;
  if (queue.track == PacketWriter::kRoot)
    queue.track = t.tracks.track(path_of(t, stretch.core, stretch.queue));
  std::array<TraceValue, 8> values{{{TraceArgument::kStart, number(stretch.start)},
                                    {TraceArgument::kLength, number(stretch.end - stretch.start)}}};
  std::size_t count = 2;
  std::string name = base::name_of(stretch.name), source;
  std::vector<std::uint64_t> flows;
  if (of != nullptr) {
    const InstructionPosition at{of->core, of->queue, of->index};
    const std::string_view region = t.texts.region(at);
    enter_region(queue, stretch, region);
    source = t.texts.source(at);
    if (busy) name = t.texts.name(at);
    values[count++] = {TraceArgument::kInstruction, t.texts.text(at)};
    if (const std::string_view nki = t.texts.nki_names(at); !nki.empty())
      values[count++] = {TraceArgument::kNkiIsa, nki};
    values[count++] = {TraceArgument::kIndex, std::uint64_t{of->index}};
    values[count++] = {TraceArgument::kRegion, region};
    if (!source.empty()) values[count++] = {TraceArgument::kSource, std::string_view(source)};
    if (busy) values[count++] = {TraceArgument::kComplete, nanoseconds(of->complete)};
    if (t.selection.flows && with_flows) flows = flows_of(*of);
  }
  t.writer.begin(queue.track, kind, name, stretch.start, {values.data(), count}, flows);
  t.writer.end(queue.track, stretch.end);
  queue.end = stretch.end;
}

// The slice of a region spans the part of it that is shown.
void EngineSlices::enter_region(Queue& queue, const base::StretchActivity& stretch, std::string_view region) {
  if (queue.region == region) return;
  if (!queue.region.empty()) timeline_.writer.end(queue.track, queue.end);
  queue.region = region;
  timeline_.writer.begin(queue.track, TraceKind::kEngines, region, stretch.start, {});
}

void EngineSlices::write_behind(Queue& queue, const base::InstructionActivity& activity, bool with_flows) {
  Timeline& t = timeline_;
  const InstructionPosition at{activity.core, activity.queue, activity.index};
  if (!t.admits(TraceKind::kEngines, activity.core, activity.start, activity.complete)) return;
  const PacketWriter::Track track = queue.behind.place(
      t.tracks, path_of(t, activity.core, activity.queue) + "_behind", activity.start, activity.complete);
  const std::string source = t.texts.source(at);
  std::array<TraceValue, 7> values{{{TraceArgument::kStart, number(activity.start)},
                                    {TraceArgument::kLength, number(activity.complete - activity.start)},
                                    {TraceArgument::kInstruction, t.texts.text(at)},
                                    {TraceArgument::kIndex, std::uint64_t{activity.index}},
                                    {TraceArgument::kRegion, t.texts.region(at)}}};
  std::size_t count = 5;
  if (!source.empty()) values[count++] = {TraceArgument::kSource, std::string_view(source)};
  if (const std::string_view nki = t.texts.nki_names(at); !nki.empty())
    values[count++] = {TraceArgument::kNkiIsa, nki};
  std::vector<std::uint64_t> flows;
  if (t.selection.flows && with_flows) flows = flows_of(activity);
  t.writer.begin(track, TraceKind::kEngines, t.texts.name(at), activity.start, {values.data(), count}, flows);
  t.writer.end(track, activity.complete);
}

void EngineSlices::close() {
  for (Queue& queue : queues_) {
    for (const base::StretchActivity& stretch : queue.pending) write(queue, stretch, nullptr, false);
    queue.pending.clear();
    if (!queue.region.empty()) timeline_.writer.end(queue.track, queue.end);
    queue.region.clear();
  }
}

}  // namespace tahoma::runtime
