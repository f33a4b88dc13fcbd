// SPDX-License-Identifier: Apache-2.0
#include "report/trace/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/table/table_names.h"
#include "report/trace/window_counters.h"

namespace tahoma::runtime {

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
  write_occupancy(timeline_,
                  stack ? o.instance + ".live" : fmt::format("{}.{}_live", o.instance, isa::name_of(o.space)),
                  stack ? timeline_.shows_chip(o.core) : timeline_.selection.cores[o.core], o.series, elapsed,
                  static_cast<double>(o.capacity));
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
