// SPDX-License-Identifier: Apache-2.0
#include "report/summary/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/base/stall_text.h"
#include "report/energy/energy_text.h"
#include "report/files/collective_report.h"
#include "report/lines/line_tables.h"
#include "report/links/link_text.h"
#include "report/summary/memory_text.h"
#include "report/summary/run_headline.h"
#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

constexpr int kCell = 11;

std::string not_finite_row(const GoldenResult& golden) {
  if (golden.not_finite == 0) return "";
  return wrapped_row("  not finite",
                     fmt::format("{} of {} results{}; the first: {}", golden.not_finite, golden.results,
                                 golden.refuses_not_finite ? ", though all values of the inputs are" : "",
                                 golden.first_not_finite));
}

std::string checks_text(const model::check::Findings& findings) {
  const model::check::Options& checked = findings.checked;
  if (!checked.any()) return "none (--check races,uninitialised)";
  const std::string names = checked.races && checked.uninitialised ? "races and uninitialised memory"
                            : checked.races                        ? "races"
                                                                   : "uninitialised memory";
  const std::uint64_t found = findings.total();
  const std::string redundant =
      findings.redundant() == 0
          ? ""
          : fmt::format("; {} pairs of transfers write the same values twice", findings.redundant());
  return fmt::format("{}: {}{}", names, found == 0 ? "none found" : fmt::format("{} FOUND", found),
                     redundant);
}

// Faults of chips and links; those of stacks are shown with the memory.
std::string faults_row(const Summary& s) {
  std::vector<std::string> parts;
  for (const ChipFault& f : s.chip_faults)
    parts.push_back(f.faults.dead ? f.chip + " is dead"
                                  : fmt::format("{} is {:.4g} times slower", f.chip, f.faults.slow));
  for (const LinkFault& f : s.links.faults)
    parts.push_back(f.faults.dead ? f.link + " is dead"
                                  : fmt::format("{} has {:.4g} of its rate", f.link, f.faults.rate));
  return parts.empty() ? "" : fitted_row("faults", parts);
}

std::string interval_text(const TimeInterval& interval) {
  return fmt::format("95 % interval {} to {}, of {} parameters", time_text_of_ns(interval.low_ns),
                     time_text_of_ns(interval.high_ns), interval.of);
}

std::string band_text(const TimeBand& band) {
  return fmt::format("median {} of {} start phases; {:.0f} % between {} and {}",
                     time_text_of_ns(band.median_ns), band.runs, band.percent, time_text_of_ns(band.low_ns),
                     time_text_of_ns(band.high_ns));
}

// The page lists them.
std::string assumed_text(std::uint64_t parameters) {
  return parameters == 0 ? "" : fmt::format("; {} assumed parameters in use", parameters);
}

std::string array_text(const ArrayUse& use) {
  const std::uint64_t most = std::max(use.of_rows, use.of_columns);
  return fmt::format(
      "{:.1f} of {} rows and {:.1f} of {} columns in use while it streams, {:.1f} % of its cells "
      "idle{}",
      use.rows, use.of_rows, use.columns, use.of_columns, use.idle_percent,
      use.partitions < most
          ? fmt::format("; {} partitions feed no more than as many rows and columns", use.partitions)
          : "");
}

std::string head(const Summary& s, const RowLimits& most) {
  const std::string achieved = si_text(s.flops.achieved_tflops(s.elapsed) * 1e12, "FLOPS");
  const std::string peak = si_text(s.flops.peak_tflops * 1e12, "FLOPS");
  std::string text = headline_of(s).block() + "\n";
  if (s.facts.band) text += row("repeated", band_text(*s.facts.band));
  if (s.facts.interval) text += row("time", interval_text(*s.facts.interval));
  text += wrapped_row("workload", s.facts.workload);
  text += row("machine", fmt::format("{}: {} of {} cores used, {} active", s.facts.machine,
                                     s.facts.cores_used, s.machine_cores, s.active_cores));
  text += faults_row(s);
  text += wrapped_row("mode", fmt::format("{}, seed {}, {} instructions{}", s.facts.mode, s.facts.seed,
                                          s.instructions, assumed_text(s.facts.assumed)));
  text += row("checks", checks_text(s.facts.checks));
  for (const std::string& warning : s.facts.warnings) text += wrapped_row("warning", warning);
  text +=
      row("arithmetic", fmt::format("{} useful, {} by the tensor engines", si_text(s.flops.useful, "FLOP"),
                                    si_text(static_cast<double>(s.flops.hardware), "FLOP")));
  if (s.flops.useful > 0) text += row("rate", fmt::format("{} achieved of {} peak", achieved, peak));
  if (s.array) text += wrapped_row("array", array_text(*s.array));
  text += wrapped_row("busiest",
                      fmt::format("{}, {:.1f} % of the time", s.busiest.instance, s.busiest.share_percent));
  if (most.energy && s.facts.energy) text += energy_text(*s.facts.energy);
  return text + (most.energy && s.facts.cost ? cost_text(*s.facts.cost) : "");
}

std::string table_row(const std::string& label, const std::vector<std::string>& cells) {
  std::string line = fmt::format("  {:<{}}", label, kLabel);
  for (const std::string& cell : cells) line += fmt::format("{:>{}}", cell, kCell);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Writes one column per kind of engine, one row per stall reason in which any of them spent time.
std::string engine_table(const Summary& s) {
  std::string text =
      "\nengines: percent of the time, average over the active cores; each column adds up to 100\n";
  std::vector<std::string> cells;
  for (const EngineSummary& engine : s.engines) cells.emplace_back(base::name_of(engine.kind));
  text += table_row("", cells);
  for (std::size_t i = 0; i < base::kStallReasons; ++i) {
    if (std::all_of(s.engines.begin(), s.engines.end(), [i](const auto& e) { return e.percent[i] == 0; }))
      continue;
    cells.clear();
    for (const EngineSummary& engine : s.engines) cells.push_back(percent_cell(engine.percent[i], kCell));
    text += table_row(base::name_of(static_cast<base::StallReason>(i)), cells);
  }
  cells.clear();
  for (const EngineSummary& engine : s.engines) cells.push_back(fmt::format("{:.1f}", engine.active_percent));
  text += table_row("(active)", cells);
  cells.clear();
  for (const EngineSummary& engine : s.engines) cells.push_back(std::to_string(engine.instructions));
  return text + table_row("(instructions)", cells);
}

// The largest stall of the kind of engine that is busy longest, and what shortens it. Idle time is no stall.
std::string stall_row_of(const Summary& s) {
  const auto busy = [](const EngineSummary& e) {
    return e.percent[static_cast<std::size_t>(base::StallReason::kBusy)];
  };
  const auto engine = std::max_element(s.engines.begin(), s.engines.end(),
                                       [&](const auto& a, const auto& b) { return busy(a) < busy(b); });
  const auto reason = engine == s.engines.end() ? std::nullopt : base::largest_stall_of(engine->percent);
  if (!reason) return "";
  const std::string vendor = base::vendor_name_of(*reason);
  return wrapped_row("largest stall",
                     fmt::format("{} {}, {:.1f} % of the time{}: {}", base::name_of(engine->kind),
                                 base::name_of(*reason), engine->percent[static_cast<std::size_t>(*reason)],
                                 vendor.empty() ? "" : fmt::format(" ({} in Neuron Explorer)", vendor),
                                 base::advice_of(*reason)));
}

std::string figures_block(const std::vector<WorkloadFigure>& figures, const RowLimits& most) {
  if (figures.empty()) return "";
  std::size_t name = 0, value = 0;
  for (const WorkloadFigure& figure : figures) {
    name = std::max(name, figure.key.size());
    value = std::max(value, figure.text.size());
  }
  const std::size_t left = kWidth - std::min(kWidth - 20, name + value + 6);
  std::string text = "\nof the workload\n";
  for (std::size_t n = 0; n < std::min(most.figures, figures.size()); ++n)
    text += fmt::format("  {:<{}}  {:>{}}  {}\n", figures[n].key, name, figures[n].text, value,
                        fitted(figures[n].meaning, left));
  if (figures.size() > most.figures)
    text += fmt::format("  and {} more in summary.json and report.html\n", figures.size() - most.figures);
  return text;
}

std::string golden_block(const GoldenResult& golden) {
  if (golden.elements == 0)
    return (golden.rule.empty() ? "" : "\n" + wrapped_row("golden", golden.rule)) + not_finite_row(golden);
  std::string text = "\ngolden reference\n";
  text += row("  verdict",
              golden.mismatches == 0
                  ? fmt::format("{}: {} elements within tolerance", golden.passed() ? "passed" : "FAILED",
                                golden.elements)
                  : fmt::format("FAILED: {} of {} elements wrong", golden.mismatches, golden.elements));
  text += not_finite_row(golden);
  text += row("  errors", fmt::format("largest absolute {:.4g}, largest relative {:.4g}, tolerance {:.4g}",
                                      golden.max_abs_error, golden.max_rel_error, golden.tolerance));
  text += wrapped_row("  rule", golden.rule);
  if (golden.failed() && !golden.first_mismatch.empty()) text += "\n" + golden.first_mismatch + "\n";
  return text;
}

// The text has all rows first; one of too many lines is tried again with fewer rows.
constexpr std::array kRowLimits{RowLimits{40, 24, 24, 8, 8, 8, 20},   RowLimits{12, 12, 12, 8, 6, 6, 12},
                                RowLimits{10, 8, 5, 5, 5, 4, 8},      RowLimits{8, 5, 3, 4, 5, 3, 6},
                                RowLimits{6, 3, 2, 3, 5, 2, 4},       RowLimits{6, 3, 2, 3, 4, 2, 3},
                                RowLimits{6, 3, 1, 2, 4, 1, 3},       RowLimits{4, 2, 1, 2, 3, 1, 2},
                                RowLimits{4, 2, 1, 1, 3, 0, 2},       RowLimits{2, 1, 0, 1, 3, 0, 2},
                                RowLimits{2, 1, 0, 1, 3, 0, 1},       RowLimits{1, 1, 0, 1, 2, 0, 1},
                                RowLimits{1, 0, 0, 1, 2, 0, 1},       RowLimits{1, 0, 0, 1, 1, 0, 1},
                                RowLimits{1, 0, 0, 1, 1, 0, 1, false}};

std::string text_with(const Summary& s, const RowLimits& most) {
  return head(s, most) + figures_block(s.facts.figures, most) + engine_table(s) +
         (most.stalls == 0 ? "" : stall_row_of(s)) + regions_text(s.facts.regions, most) +
         hot_spots_text(s.facts.hot_spots, most) + path_text(s.facts.path, most) + memory_text(s) +
         link_text(s.links);
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

// The tables of programs and collectives are the results of the workloads that measure them, so they have all
// rows and do not count; the empty lines before them do.
std::string summary_text(const Summary& s) {
  const std::string golden = golden_block(s.facts.golden),
                    collectives = collectives_text(s.facts.collectives),
                    programs = programs_text(s.facts.together);
  const std::size_t others = lines_in(golden) + (collectives.empty() ? 0 : 1) + (programs.empty() ? 0 : 1);
  std::string text;
  for (const RowLimits& most : kRowLimits) {
    text = text_with(s, most);
    if (lines_in(text) + others <= kMostTextLines) break;
  }
  return text + programs + collectives + golden;
}

}  // namespace tahoma::runtime
