// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run_files.h"

#include <fmt/format.h>

#include <array>

#include "runtime/chakra/run_trace.h"
#include "runtime/host/npy_dtype.h"
#include "runtime/page/page.h"
#include "runtime/report/energy/energy_tables.h"
#include "runtime/report/energy/power_windows.h"
#include "runtime/report/files/collective_report.h"
#include "runtime/report/files/manifest.h"
#include "runtime/report/files/statistics_tables.h"
#include "runtime/report/files/stats_files.h"
#include "runtime/report/files/window_tables.h"
#include "runtime/report/lines/line_tables.h"
#include "runtime/report/links/link_tables.h"
#include "runtime/report/memory/channel_table.h"
#include "runtime/run/simulation.h"

namespace tahoma::runtime {

namespace {

using Run = FinishedRun;
using To = RunFileTarget;

bool always(const RunOptions&) { return true; }
bool with_report(const RunOptions& options) { return options.report; }
bool with_explanation(const RunOptions& options) { return options.explain; }
bool with_outputs(const RunOptions& options) { return options.save_outputs; }
bool with_trace(const RunOptions& options) { return options.trace.wanted; }
bool with_chakra(const RunOptions& options) { return options.chakra; }
bool with_dumps(const RunOptions& options) { return !options.checkpoints.dump.empty(); }

constexpr const char* kNone = "";
constexpr const char* kReport = "not with --no-report";

std::string manifest_of(const FinishedRun& run, std::vector<std::string> files) {
  Manifest manifest;
  manifest.host = host_facts();
  manifest.cost = {run.wall_seconds(), run.run.seconds, run.run.measurement.instructions};
  manifest.command_line = run.options.command_line;
  manifest.golden = name_of(run.run.golden.outcome());
  manifest.seed = run.config.run.seed;
  manifest.config_sha256 = run.config_sha256;
  manifest.folding = run.run.folding;
  manifest.files = std::move(files);
  manifest.files.emplace_back("manifest.json");
  return manifest_json(manifest);
}

void write_outputs(const FinishedRun& run, const RunFileTarget& to) {
  for (const NamedValues& output : run.run.outputs)
    write_npy(to.part(output.name).file(), to_npy(output.dtype, output.shape, output.values));
}

chakra::RunTraces chakra_of(const FinishedRun& run) {
  return chakra::traces_of_run({run.run.collectives, run.run.messages}, run.summary.facts.regions.regions,
                               run.run.measurement.elapsed);
}

void write_chakra(const FinishedRun& run, const RunFileTarget& to) {
  const chakra::RunTraces traces = chakra_of(run);
  for (std::uint32_t rank = 0; rank < traces.ranks.size(); ++rank)
    to.part(std::to_string(rank)).text(chakra::trace_bytes(traces.ranks[rank], rank));
}

const std::array kFiles{
    RunFile{"dumps", "folder of intermediate values", "with --dump", with_dumps,
            [](StartingRun& run, const To& to) { run.checkpoints.write_to(to.folder()); }, nullptr},
    RunFile{"trace.pftrace", "timeline for ui.perfetto.dev", "with --trace", with_trace,
            [](StartingRun& run, const To& to) {
              run.trace.emplace(run.config.machine, run.selection, to.file());
            },
            nullptr},
    RunFile{"summary.txt", "the summary, which the command also prints", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(r.summary_text); }},
    RunFile{"summary.json", "the summary for programs", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(r.summary_json); }},
    RunFile{"explain.json", "the repetitions that found the bottleneck", "with --explain", with_explanation,
            nullptr, [](const Run& r, const To& to) { to.text(r.explanation); }},
    RunFile{"stats.json", "every statistic with unit and description", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(stats_json(r.run.stats.stats())); }},
    RunFile{"stats.csv", "the same as CSV", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(stats_csv(r.run.stats.stats())); }},
    RunFile{"links.csv", "directions of links", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(links_csv(r.run.measurement)); }},
    RunFile{"links_windows.csv", "busy time of links over time", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(links_windows_csv(r.run.measurement)); }},
    RunFile{"traffic.csv", "bytes from each chip to each chip", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(traffic_csv(r.config.machine, r.run.measurement)); }},
    RunFile{"hbm.csv", "channels of HBM", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(hbm_csv(r.run.measurement)); }},
    RunFile{"collectives.csv", "collectives and how their time is split", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(collectives_csv(r.run.collectives)); }},
    RunFile{"regions.csv", "regions of programs and their bounds", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(regions_csv(r.summary.facts.regions.regions)); }},
    RunFile{"energy.csv", "energy of each chip and component", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(energy_csv(r.run.energy)); }},
    RunFile{"energy_regions.csv", "dynamic energy of the regions of programs", kNone, always, nullptr,
            [](const Run& r, const To& to) { to.text(energy_regions_csv(r.run.energy)); }},
    RunFile{"lines.csv", "time by line of the source", "of programs that know it, such as kernels in NKI",
            always, nullptr,
            [](const Run& r, const To& to) {
              if (!r.run.lines.lines.empty()) to.text(lines_csv(r.run.lines));
            }},
    RunFile{"stats.txt", "every statistic as text", kReport, with_report, nullptr,
            [](const Run& r, const To& to) { to.text(stats_text(r.run.stats.stats())); }},
    RunFile{"stats.db", "every statistic as SQLite", kReport, with_report, nullptr,
            [](const Run& r, const To& to) { to.text(stats_database(r.run.stats.stats())); }},
    RunFile{"engines.csv", "busy time of engines over time", kReport, with_report, nullptr,
            [](const Run& r, const To& to) { to.text(engines_csv(r.run.measurement, r.run.engines)); }},
    RunFile{"power.csv", "power of all chips over time", kReport, with_report, nullptr,
            [](const Run& r, const To& to) {
              to.text(power_csv(power_windows(r.run.energy, r.run.measurement, r.run.engines)));
            }},
    RunFile{"hbm_windows.csv", "busy time of HBM stacks over time", kReport, with_report, nullptr,
            [](const Run& r, const To& to) { to.text(hbm_windows_csv(r.run.measurement)); }},
    RunFile{"occupancy.csv", "live data in memories over time", kReport, with_report, nullptr,
            [](const Run& r, const To& to) { to.text(occupancy_csv(r.run.occupancy)); }},
    RunFile{"report.json", "data of the page", kReport, with_report, nullptr,
            [](const Run& r, const To& to) { to.text(r.detail); }},
    RunFile{"report.html", "the page, for a browser", kReport, with_report, nullptr,
            [](const Run& r, const To& to) {
              to.text(run_page({{"", r.config.workload->describe(), r.summary_json, r.detail}}));
            }},
    RunFile{"config.resolved.yaml", "the resolved configuration, which repeats the run", kNone, always,
            nullptr, [](const Run& r, const To& to) { to.text(r.config_yaml); }},
    RunFile{"chakra.*.et", "execution trace of each rank of the collectives, for ASTRA-sim 2",
            "with --chakra", with_chakra, nullptr, write_chakra},
    RunFile{"chakra.groups.json", "their communicator groups", "with --chakra", with_chakra, nullptr,
            [](const Run& r, const To& to) { to.text(chakra::groups_json(chakra_of(r).groups)); }},
    RunFile{"*.npy", "each output tensor", "with --save-outputs", with_outputs, nullptr, write_outputs},
    RunFile{"manifest.json", "version, host, command line, and the files of the folder", kNone, always,
            nullptr,
            [](const Run& r, const To& to) { to.text(manifest_of(r, to.out().files())); }},  // the last row
};

}  // namespace

RunFileTarget RunFileTarget::part(const std::string& name) const {
  std::string full = name_;
  const std::size_t star = full.find('*');
  TAHOMA_INVARIANT(star != std::string::npos, name_ + " is one file");
  return {out_, full.replace(star, 1, name)};
}

std::span<const RunFile> run_files() { return kFiles; }

void open_run_files(StartingRun& run, const RunOptions& options, OutputDir& out) {
  for (const RunFile& file : kFiles)
    if (file.open != nullptr && file.wanted(options)) file.open(run, {out, file.name});
}

void write_run_files(const FinishedRun& run, OutputDir& out) {
  for (const RunFile& file : kFiles)
    if (file.write != nullptr && file.wanted(run.options)) file.write(run, {out, file.name});
}

std::string run_files_text() {
  std::string text;
  for (const RunFile& file : kFiles)
    text += fmt::format("  {:<22}{}{}\n", file.name, file.doc,
                        *file.condition == '\0' ? "" : fmt::format(" ({})", file.condition));
  return text;
}

}  // namespace tahoma::runtime
