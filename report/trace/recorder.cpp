// SPDX-License-Identifier: Apache-2.0
#include "report/trace/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "isa/table/table_names.h"
#include "model/system/machine/instance_params.h"
#include "report/text/saturation.h"

namespace tahoma::runtime {

namespace {

struct CounterTrack {
  TraceKind kind;
  std::string path;
  const char* unit;
  bool shown;
  double full;  // value of a window that is busy throughout
};

// Writes a series of the statistics (base::Series) as a counter: bandwidth of HBM stacks and link directions,
// live bytes of memories. A value is the mean of its window, whose length grows with the run like that of the
// series; repeated equal values are written once.
void write_series(Timeline& timeline, const CounterTrack& track, const base::Series& series,
                  base::Duration elapsed) {
  std::optional<double> last;
  const auto write = [&](base::Time from, base::Time until, double value) {
    if (last.value_or(0) == value || !timeline.tally.admits(track.kind, track.shown, from, until)) return;
    last = value;
    timeline.writer.count(timeline.tracks.counter(track.path, track.unit), from, value);
  };
  for (const WindowShare& window : windows_of(series, elapsed, {0}))
    write(window.start, window.start + window.length, window.busy_percent / 100 * track.full);
  write(elapsed, elapsed, 0);
}

void write_bandwidths(Timeline& timeline, const base::RunMeasurement& run) {
  const std::uint64_t stacks = timeline.machine.chip.hbm.stacks;
  for (std::size_t n = 0; n < run.hbm.size(); ++n) {
    const base::HbmMeasurement& stack = run.hbm[n];
    write_series(timeline,
                 {TraceKind::kBandwidth, stack.path + ".bandwidth", "B/s", timeline.shows_chip(n / stacks),
                  static_cast<double>(stack.peak.bytes_per_second)},
                 stack.series, run.elapsed);
  }
  for (const base::LinkMeasurement& link : run.links)
    write_series(timeline,
                 {TraceKind::kBandwidth, link.path + ".bandwidth", "B/s",
                  timeline.shows_chip(link.from_chip) || timeline.shows_chip(link.to_chip),
                  static_cast<double>(link.peak.bytes_per_second)},
                 link.series, run.elapsed);
}

}  // namespace

bool Timeline::shows_chip(std::uint64_t chip) const {
  if (chip >= machine.chips()) return selection.every_core();
  const auto first = selection.cores.begin() + static_cast<std::ptrdiff_t>(chip * machine.chip.cores);
  const auto end = first + static_cast<std::ptrdiff_t>(machine.chip.cores);
  return std::find(first, end, true) != end;
}

TraceRecorder::TraceRecorder(const model::MachineParams& machine, const TraceSelection& selection,
                             const std::string& path)
    : timeline_(machine, selection, path), records_(machine.chip.cores) {}

void TraceRecorder::add(const SimultaneousRecords::Record& record) {
  records_.add(record, [this](const auto& activity) { write(activity); });
}

void TraceRecorder::flush() {
  records_.flush([this](const auto& activity) { write(activity); });
}

void TraceRecorder::program(std::uint32_t core, std::shared_ptr<const isa::Program> program) {
  timeline_.texts.program(core, std::move(program));
}

void TraceRecorder::occupancy(const InstanceOccupancy& o, base::Duration elapsed) {
  flush();
  const bool stack = o.space == isa::Space::kHbm;
  write_series(timeline_,
               {TraceKind::kOccupancy,
                stack ? o.instance + ".live" : fmt::format("{}.{}_live", o.instance, isa::name_of(o.space)),
                "B", stack ? timeline_.shows_chip(o.core) : timeline_.selection.cores[o.core],
                static_cast<double>(o.capacity)},
               o.series, elapsed);
}

// Records in the trace itself what it omits.
void TraceRecorder::write_tally(base::Time at) {
  const PacketWriter::Track track = timeline_.tracks.track("trace");
  for (std::size_t k = 0; k < kTraceKinds; ++k) {
    const auto kind = static_cast<TraceKind>(k);
    const auto of = [&](TraceArgument argument, TraceFate fate) {
      return TraceValue{argument, timeline_.tally.count(kind, fate)};
    };
    const std::array values{of(TraceArgument::kWritten, TraceFate::kWritten),
                            of(TraceArgument::kOtherKinds, TraceFate::kOtherKinds),
                            of(TraceArgument::kOtherCores, TraceFate::kOtherCores),
                            of(TraceArgument::kOutsideWindow, TraceFate::kOutsideWindow),
                            of(TraceArgument::kBeyondLimit, TraceFate::kBeyondLimit)};
    timeline_.writer.instant(track, name_of(kind), at, values);
  }
}

void TraceRecorder::finish(const base::RunMeasurement& run) {
  flush();
  engines_.close();
  links_.close();
  write_bandwidths(timeline_, run);
  write_tally(run.elapsed);
  timeline_.writer.close();
}

}  // namespace tahoma::runtime
