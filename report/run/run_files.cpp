// SPDX-License-Identifier: Apache-2.0
#include "report/run/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/energy/energy_tables.h"
#include "report/energy/power_windows.h"
#include "report/execution_trace/run_trace.h"
#include "report/files/collective_report.h"
#include "report/files/statistics_tables.h"
#include "report/files/stats_files.h"
#include "report/files/window_tables.h"
#include "report/lines/line_tables.h"
#include "report/links/link_tables.h"
#include "report/memory/channel_table.h"
#include "report/page/page.h"
#include "report/simulation/simulation.h"
#include "runtime/host/npy_dtype.h"
#include "runtime/host/output/manifest.h"

namespace tahoma::runtime {

namespace {

using Run = FinishedRun;
using To = RunFileTarget;
using Place = RunFilePlace;

bool always(const RunOptions&) { return true; }
bool with_report(const RunOptions& options) { return options.report; }
bool with_explanation(const RunOptions& options) { return options.explain != nullptr; }
bool with_outputs(const RunOptions& options) { return options.save_outputs; }
bool with_trace(const RunOptions& options) { return options.trace.wanted; }
bool with_chakra(const RunOptions& options) { return options.chakra; }
bool with_dumps(const RunOptions& options) { return !options.checkpoints.dump.empty(); }

constexpr const char* kNone = "";
constexpr const char* kReport = "not with --slim";

// Lists what can be exported of a run; `has` returns whether its store or folder has a file.
std::vector<std::string> names_on_demand(const std::function<bool(const std::string&)>& has);

std::string manifest_of(const FinishedRun& run, const RunFileTarget& to) {
  Manifest manifest;
  manifest.host = host_facts();
  const std::vector<StageTime> stages = run.stages();  // first: their sum is at most the whole command's time
  manifest.cost = {run.wall_seconds(), run.run.seconds, run.run.measurement.instructions, stages};
  manifest.command_line = run.options.command_line;
  manifest.golden = name_of(run.run.golden.outcome());
  manifest.seed = run.config.run.seed;
  manifest.config_sha256 = run.config_sha256;
  manifest.folding = run.run.folding;
  manifest.files = to.out().files();
  manifest.files.emplace_back("manifest.json");
  manifest.on_demand = names_on_demand([&](const std::string& name) {
    return std::any_of(to.stored().begin(), to.stored().end(),
                       [&](const auto& file) { return file.first == name; });
  });
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
    RunFile{"dumps", "folder of intermediate values", "with --dump", Place::kFolder, with_dumps,
            [](StartingRun& run, const To& to) { run.checkpoints.write_to(to.folder()); }, nullptr},
    RunFile{"trace.pftrace", "timeline for ui.perfetto.dev", "with --trace", Place::kFolder, with_trace,
            [](StartingRun& run, const To& to) {
              run.trace.emplace(run.config.machine, run.selection, to.file());
            },
            nullptr},
    RunFile{"summary.txt", "the summary, which the command also prints", kNone, Place::kFolder, always,
            nullptr, [](const Run& r, const To& to) { to.text(r.summary_text); }},
    RunFile{"summary.json", "the summary for programs", kNone, Place::kFolder, always, nullptr,
            [](const Run& r, const To& to) { to.text(r.summary_json); }},
    RunFile{"explain.json", "the repetitions that found the bottleneck",
            "with --explain; `tahoma explain` adds it", Place::kFolder, with_explanation, nullptr,
            [](const Run& r, const To& to) { to.text(r.explanation); }},
    RunFile{"stats.json", "every statistic with unit and description", kNone, Place::kStatistics, always,
            nullptr, nullptr, stats_json},
    RunFile{"stats.csv", "the same as CSV", kNone, Place::kStatistics, always, nullptr, nullptr, stats_csv},
    RunFile{"stats.txt", "the same as text", kNone, Place::kStatistics, always, nullptr, nullptr, stats_text},
    RunFile{"links.csv", "directions of links", kNone, Place::kStore, always, nullptr,
            [](const Run& r, const To& to) { to.text(links_csv(r.run.measurement)); }},
    RunFile{"links_windows.csv", "busy time of links over time", kNone, Place::kStore, always, nullptr,
            [](const Run& r, const To& to) { to.text(links_windows_csv(r.run.measurement)); }},
    RunFile{"traffic.csv", "bytes from each chip to each chip", kNone, Place::kStore, always, nullptr,
            [](const Run& r, const To& to) { to.text(traffic_csv(r.config.machine, r.run.measurement)); }},
    RunFile{"hbm.csv", "channels of HBM", kNone, Place::kStore, always, nullptr,
            [](const Run& r, const To& to) { to.text(hbm_csv(r.run.measurement)); }},
    RunFile{"collectives.csv", "collectives and how their time is split", kNone, Place::kStore, always,
            nullptr, [](const Run& r, const To& to) { to.text(collectives_csv(r.run.collectives)); }},
    RunFile{"programs.csv", "programs that share the machine, and each alone", "of cases of kind colocated",
            Place::kStore, always, nullptr,
            [](const Run& r, const To& to) {
              if (!r.summary.facts.together.empty()) to.text(programs_csv(r.summary.facts.together));
            }},
    RunFile{"regions.csv", "regions of programs and their bounds", kNone, Place::kStore, always, nullptr,
            [](const Run& r, const To& to) { to.text(regions_csv(r.summary.facts.regions.regions)); }},
    RunFile{"energy.csv", "energy of each chip and component", kNone, Place::kStore, always, nullptr,
            [](const Run& r, const To& to) { to.text(energy_csv(r.run.energy)); }},
    RunFile{"energy_regions.csv", "dynamic energy of the regions of programs", kNone, Place::kStore, always,
            nullptr, [](const Run& r, const To& to) { to.text(energy_regions_csv(r.run.energy)); }},
    RunFile{"lines.csv", "time by line of the source", "of programs that know it, such as kernels in NKI",
            Place::kStore, always, nullptr,
            [](const Run& r, const To& to) {
              if (!r.run.lines.lines.empty()) to.text(lines_csv(r.run.lines));
            }},
    RunFile{"engines.csv", "busy time of engines over time", kReport, Place::kStore, with_report, nullptr,
            [](const Run& r, const To& to) { to.text(engines_csv(r.run.measurement, r.run.engines)); }},
    RunFile{"power.csv", "power of the chips in use over time", kReport, Place::kStore, with_report, nullptr,
            [](const Run& r, const To& to) {
              to.text(power_csv(power_windows(r.run.energy, r.run.measurement, r.run.engines)));
            }},
    RunFile{"hbm_windows.csv", "busy time of HBM stacks over time", kReport, Place::kStore, with_report,
            nullptr, [](const Run& r, const To& to) { to.text(hbm_windows_csv(r.run.measurement)); }},
    RunFile{"occupancy.csv", "live data in memories over time", kReport, Place::kStore, with_report, nullptr,
            [](const Run& r, const To& to) { to.text(occupancy_csv(r.run.occupancy)); }},
    RunFile{"report.json", "data of the page", kReport, Place::kStore, with_report, nullptr,
            [](const Run& r, const To& to) { to.text(r.detail); }},
    RunFile{"stats.db", "every statistic, and the files on demand, as SQLite", kNone, Place::kFolder, always,
            nullptr,
            [](const Run& r, const To& to) { to.text(store_bytes(r.run.stats.stats(), to.stored())); }},
    RunFile{"report.html", "the page, for a browser", kReport, Place::kFolder, with_report, nullptr,
            [](const Run& r, const To& to) {
              to.text(run_page({{"", r.config.workload->describe(), r.summary_json, r.detail}}));
            }},
    RunFile{"config.resolved.yaml", "the resolved configuration, which repeats the run", kNone,
            Place::kFolder, always, nullptr, [](const Run& r, const To& to) { to.text(r.config_yaml); }},
    RunFile{kKernelFile, "the traced kernel, which repeats the run in timing mode", "of kernels in NKI",
            Place::kFolder, always, nullptr,
            [](const Run& r, const To& to) {
              if (const KeptKernel kept = r.config.workload->kept_kernel(); !kept.bytes.empty())
                to.text(kept.bytes);
            }},
    RunFile{"chakra.*.et", "execution trace of each rank of the collectives, for ASTRA-sim 2",
            "with --chakra", Place::kFolder, with_chakra, nullptr, write_chakra},
    RunFile{"chakra.groups.json", "their communicator groups", "with --chakra", Place::kFolder, with_chakra,
            nullptr, [](const Run& r, const To& to) { to.text(chakra::groups_json(chakra_of(r).groups)); }},
    RunFile{"*.npy", "each output tensor", "with --save-outputs", Place::kFolder, with_outputs, nullptr,
            write_outputs},
    RunFile{"manifest.json", "version, host, command line, and the files of the folder", kNone,
            Place::kFolder, always, nullptr,
            [](const Run& r, const To& to) { to.text(manifest_of(r, to)); }},  // the last row
};

// Names that are in no row may be those of a foreign archive: they are no files of a run.
std::vector<std::string> names_on_demand(const std::function<bool(const std::string&)>& has) {
  std::vector<std::string> names;
  for (const RunFile& file : kFiles)
    if (file.place == Place::kStatistics || (file.place == Place::kStore && has(file.name)))
      names.emplace_back(file.name);
  return names;
}

}  // namespace

RunFileTarget RunFileTarget::part(const std::string& name) const {
  std::string full = name_;
  const std::size_t star = full.find('*');
  TAHOMA_INVARIANT(star != std::string::npos, name_ + " is one file");
  return {out_, full.replace(star, 1, name), place_, stored_};
}

std::span<const RunFile> run_files() { return kFiles; }

void RunFileTarget::text(std::string_view bytes) const {
  if (place_ == RunFilePlace::kStore)
    stored_.emplace_back(name_, bytes);
  else
    out_.write(name_, bytes);
}

void open_run_files(StartingRun& run, const RunOptions& options, OutputDir& out) {
  StoredFiles none;
  for (const RunFile& file : kFiles)
    if (file.open != nullptr && file.wanted(options)) file.open(run, {out, file.name, file.place, none});
}

void write_run_files(const FinishedRun& run, OutputDir& out) {
  StoredFiles stored;
  for (const RunFile& file : kFiles)
    if (file.write != nullptr && file.wanted(run.options))
      file.write(run, {out, file.name, file.place, stored});
}

std::optional<std::string> run_file(const RunStore& store, const std::string& name) {
  if (auto bytes = store.file(name)) return bytes;
  for (const RunFile& file : kFiles)
    if (file.text != nullptr && file.name == name) return file.text(store.statistics());
  return std::nullopt;
}

std::vector<std::string> exported_names(const RunStore& store) {
  return names_on_demand([&](const std::string& name) { return store.has(name); });
}

std::string run_files_text(bool on_demand) {
  std::string text;
  for (const RunFile& file : kFiles)
    if ((file.place != RunFilePlace::kFolder) == on_demand)
      text += fmt::format("  {:<22}{}{}\n", file.name, file.doc,
                          *file.condition == '\0' ? "" : fmt::format(" ({})", file.condition));
  return text;
}

}  // namespace tahoma::runtime
