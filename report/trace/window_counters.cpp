// SPDX-License-Identifier: Apache-2.0
#include "report/trace/window_counters.h"

#include <optional>

#include "model/system/machine/instance_params.h"
#include "report/text/saturation.h"

namespace tahoma::runtime {

namespace {

struct Row {
  TraceKind kind;
  std::string path;
  const char* unit;
  bool shown;
  double full;  // value of a window that is busy throughout
};

void write_series(Timeline& timeline, const Row& row, const base::Series& series, base::Duration elapsed) {
  std::optional<double> last;
  const auto write = [&](base::Time from, base::Time until, double value) {
    if (last.value_or(0) == value || !timeline.tally.admits(row.kind, row.shown, from, until)) return;
    last = value;
    timeline.writer.count(timeline.tracks.counter(row.path, row.unit), from, value);
  };
  for (const WindowShare& window : windows_of(series, elapsed, {0}))
    write(window.start, window.start + window.length, window.busy_percent / 100 * row.full);
  write(elapsed, elapsed, 0);
}

}  // namespace

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

void write_occupancy(Timeline& timeline, const std::string& path, bool shown, const base::Series& series,
                     base::Duration elapsed, double capacity) {
  write_series(timeline, {TraceKind::kOccupancy, path, "B", shown, capacity}, series, elapsed);
}

}  // namespace tahoma::runtime
