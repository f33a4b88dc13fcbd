// SPDX-License-Identifier: Apache-2.0
// The data of a run's page beside summary.json: report.json, which is in the store of the run. All of it is
// reduced from the measurements of the run. A page consists of these two files and a template (page.h), so it
// can be written again from the folder of a finished run.
//
// report.json:
//   schema_version, version   of this file and of tahoma
//   window_ns, windows        of every series of the file: the same windows for all, the last may be shorter
//   engines     kinds, cycles [{name, doc, neuron_explorer, advice}], cores [{name, chip, active}],
//               percent[core][kind][cycle] of the time, instructions[core][kind]; `series` {kind: {mean,
//               least, most}} busy percent of a window over the active cores. Of more than kMostCores cores:
//               each entry is a chip, `grouped` says it
//   timeline    of some cores: labels [[instruction or stall reason, source, whether it is a stall]], cores
//               [{name, lanes [{queue, engine, cells}]}]; cells as text, "end busy label index
//               instructions;...": end and busy time in picoseconds, the label and the index in its stream of
//               the longest part, the instructions that began in it (report/timeline/core_timeline.h)
//   hbm         stacks [{name, chip, read_bytes, write_bytes, peak (bytes per second, null: ideal), busy
//               [percent of a window]}], those that moved anything; of more than kMostStacks: of chips
//   links       topology, views [{name, pictures [{label, nodes [[node, column, row]], lines [[number in
//               list, dx, dy, stub]]}]}] (model/base/topology/topology.h), names of the chips, total, list
//               [{name, from, to, axis, bytes, busy_percent, blocked_percent, queue, peak, saturated
//               (windows), windows [percent], flows [[from, to, bytes]], more_flows}], at most kMostLinks,
//               the busiest
//   traffic     names, matrix of bytes; of more than kMatrixChips chips by blocks of them; null: none
//   occupancy   [{space, capacity, instances, footprint, fullest, most_live, most_live_in, most_live_at_ns,
//               fillings [{what, bytes, mean_bytes [by window]}], more}]
//   power       watts of all chips by window: compute, memory, links, standing
//               (report/energy/power_windows.h)
//   lines       of a program that knows its source: share_of, spots and functions [{file, line, function,
//               callers, share_percent, ..., engines {kind: {time_ns, stalls {reason: ns}}}}], the largest
//               share first (the other keys as in summary.json), and the source files [{file, parts [{first,
//               text}], problem}]: the text around the lines, or why it could not be read
//   machine     preset (null: none), differs [{path, value, preset, doc}], parameters {path: value},
//               workload {path: value}
//   ledger      assumed [{path, value, doc, note}], untouched: how many assumed values of parts that this run
//               did not use
//   reproduce   config_sha256, command
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/simulation/simulation.h"
#include "runtime/config/config.h"

namespace tahoma::runtime {

inline constexpr std::uint64_t kMostCores = 1024, kMostStacks = 512, kMostLinks = 768;

nlohmann::ordered_json detail_json(const ResolvedConfig& config, const std::string& config_sha256,
                                   const Simulated& run);

// Writes the parts of report.json.
nlohmann::ordered_json engines_detail(const model::MachineParams& machine, const Simulated& run);
nlohmann::ordered_json timeline_detail(const model::MachineParams& machine, const Simulated& run);
nlohmann::ordered_json hbm_detail(const model::MachineParams& machine, const base::RunMeasurement& run);
nlohmann::ordered_json links_detail(const model::MachineParams& machine, const base::RunMeasurement& run);
nlohmann::ordered_json traffic_detail(const model::MachineParams& machine, const base::RunMeasurement& run);
nlohmann::ordered_json occupancy_detail(const std::vector<SpaceOccupancy>& occupancy);
nlohmann::ordered_json power_detail(const Simulated& run);
nlohmann::ordered_json lines_detail(const HotSpots& spots);
nlohmann::ordered_json machine_detail(const ResolvedConfig& config);
nlohmann::ordered_json ledger_detail(const ResolvedConfig& config, const base::RunMeasurement& run);

// Rounds to a tenth, the precision of a page.
inline double tenth(double value) { return std::round(value * 10) / 10; }
// Busy percent of every window of the run, rounded to a tenth.
nlohmann::ordered_json windows_json(const base::Series& series, base::Duration elapsed);

}  // namespace tahoma::runtime
