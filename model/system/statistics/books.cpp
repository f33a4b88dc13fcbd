// SPDX-License-Identifier: Apache-2.0
#include "model/system/statistics/books.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::model {

using base::Duration, base::EngineMeasurement;

namespace {

void check_times(const EngineMeasurement& e, Duration elapsed) {
  Duration sum{0};
  for (const Duration d : e.time) {
    TAHOMA_INVARIANT(d.fs >= 0, e.path + ": negative time");
    sum += d;
  }
  TAHOMA_INVARIANT(sum == elapsed, fmt::format("{}: times by stall reason add up to {} fs; expected {} fs",
                                               e.path, sum.fs, elapsed.fs));
  TAHOMA_INVARIANT(e.active <= elapsed,
                   fmt::format("{}: active for {} fs of {} fs", e.path, e.active.fs, elapsed.fs));
}

// Returns the most FLOPs of a cell in a cycle: two multiply-adds in double_row, on NeuronCore-v4 four of
// MXFP8.
std::uint64_t most_flops_of_cell(isa::CoreVersion version) {
  return version == isa::CoreVersion::kV4 ? 8 : 4;
}

void check_array(const EngineMeasurement& e, const CoreParams& core, double slowdown) {
  const TensorParams& tensor = core.tensor;
  const double cycles = e.active.seconds() * static_cast<double>(tensor.clock.hz) / slowdown;
  const double most = static_cast<double>(tensor.rows * tensor.columns) * cycles;
  TAHOMA_INVARIANT(static_cast<double>(e.cell_cycles) <= most * (1 + 1e-9),
                   fmt::format("{}: above the array's peak, {} cycles of its cells where {:.0f} were active",
                               e.path, e.cell_cycles, most));
  TAHOMA_INVARIANT(e.hardware_flops <= most_flops_of_cell(core.version) * e.cell_cycles,
                   fmt::format("{}: above the array's peak, {} FLOPs in {} cycles of its cells", e.path,
                               e.hardware_flops, e.cell_cycles));
}

// Checks the pin times of a working channel.
void check_channel(const base::ChannelMeasurement& c, Duration elapsed) {
  const Duration sum = c.data + c.lost_refresh + c.lost_turnaround + c.lost_bank + c.idle;
  TAHOMA_INVARIANT(
      c.failed || sum == elapsed,
      fmt::format("{}: times of the pins add up to {} fs; expected {} fs", c.path, sum.fs, elapsed.fs));
  for (const Duration d : {c.data, c.lost_refresh, c.lost_turnaround, c.lost_bank, c.idle})
    TAHOMA_INVARIANT(d.fs >= 0, c.path + ": negative time");
}

void check_stack(const base::HbmMeasurement& h, Duration elapsed) {
  TAHOMA_INVARIANT(h.busy <= elapsed, h.path + ": more bytes than its bandwidth allows");
  for (const base::ChannelMeasurement& c : h.channels) check_channel(c, elapsed);
  std::uint64_t read = 0, written = 0;
  for (const auto& user : h.users) {
    read += user.read_bytes;
    written += user.write_bytes;
  }
  TAHOMA_INVARIANT(h.users.empty() || (read == h.read_bytes && written == h.write_bytes),
                   fmt::format("{}: its users moved {} and {} bytes of {} and {}", h.path, read, written,
                               h.read_bytes, h.write_bytes));
}

void check_link_books(const base::LinkMeasurement& l, Duration elapsed) {
  TAHOMA_INVARIANT(l.busy + l.blocked <= elapsed, fmt::format("{}: busy {} fs and blocked {} fs of {} fs",
                                                              l.path, l.busy.fs, l.blocked.fs, elapsed.fs));
  std::uint64_t carried = 0;
  for (const base::LinkFlow& flow : l.flows) carried += flow.payload_bytes;
  TAHOMA_INVARIANT(l.flows.empty() || carried == l.payload_bytes,
                   fmt::format("{}: its flows carried {} bytes of {}", l.path, carried, l.payload_bytes));
}

// Without a packet on any link, no engine has waited for NeuronLink.
void check_link_waits(const base::RunMeasurement& run) {
  if (std::any_of(run.links.begin(), run.links.end(), [](const auto& l) { return l.packets > 0; })) return;
  for (const EngineMeasurement& e : run.engines)
    TAHOMA_INVARIANT(e.time[static_cast<std::size_t>(base::StallReason::kWaitLink)].fs == 0,
                     e.path + ": waited for NeuronLink, over which nothing was sent");
}

}  // namespace

void check_books(const base::RunMeasurement& run, const MachineParams& machine) {
  for (const EngineMeasurement& e : run.engines) {
    check_times(e, run.elapsed);
    check_array(e, machine.chip.core, machine.slowdown_of(e.core / machine.chip.cores));
  }
  for (const base::HbmMeasurement& h : run.hbm) check_stack(h, run.elapsed);
  for (const base::LinkMeasurement& l : run.links) check_link_books(l, run.elapsed);
  check_link_waits(run);
  for (const base::CrossingMeasurement& c : run.crossings)
    TAHOMA_INVARIANT(c.busy <= run.elapsed, c.path + ": more bytes than its bandwidth allows");
}

}  // namespace tahoma::model
