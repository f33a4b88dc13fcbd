// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/summary/summary_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/report/files/collective_report.h"
#include "runtime/report/files/saturation.h"
#include "runtime/report/lines/line_tables.h"
#include "runtime/report/links/link_text.h"
#include "runtime/report/summary/format.h"
#include "runtime/report/summary/text_layout.h"

namespace tahoma::runtime {

namespace {

constexpr int kCell = 11;
constexpr std::size_t kMostNames = 2;  // of stacks with faults; summary.json has all

std::string golden_verdict(const GoldenResult& golden) {
  switch (golden.outcome()) {
    case GoldenOutcome::kNotChecked:
      return "golden not checked";
    case GoldenOutcome::kPassed:
      return "golden passed";
    case GoldenOutcome::kFailed:
      return "GOLDEN FAILED";
  }
  return "";
}

std::string bottleneck_text(const RunFacts& facts) {
  return facts.bottlenecks ? facts.bottlenecks->whole.text() : "run tahoma explain";
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

std::string head(const Summary& s) {
  const std::string achieved = si_text(s.flops.achieved_tflops(s.elapsed) * 1e12, "FLOPS");
  const std::string peak = si_text(s.flops.peak_tflops * 1e12, "FLOPS");
  std::string text = fmt::format("{}, {}, MFU {:.1f} %, {}, bottleneck: {}\n\n", time_text(s.elapsed),
                                 achieved, s.mfu_estimated_percent(s.elapsed), golden_verdict(s.facts.golden),
                                 bottleneck_text(s.facts));
  text += wrapped_row("workload", s.facts.workload);
  text += row("machine", fmt::format("{}: {} of {} cores used, {} active", s.facts.machine,
                                     s.facts.cores_used, s.machine_cores, s.active_cores));
  text += faults_row(s);
  text +=
      row("mode", fmt::format("{}, seed {}, {} instructions", s.facts.mode, s.facts.seed, s.instructions));
  text += row("checks", checks_text(s.facts.checks));
  for (const std::string& warning : s.facts.warnings) text += wrapped_row("warning", warning);
  text +=
      row("arithmetic", fmt::format("{} useful, {} by the tensor engines", si_text(s.flops.useful, "FLOP"),
                                    si_text(static_cast<double>(s.flops.hardware), "FLOP")));
  text += row("rate", fmt::format("{} achieved of {} peak", achieved, peak));
  return text + wrapped_row("busiest", fmt::format("{}, {:.1f} % of the time", s.busiest.instance,
                                                   s.busiest.share_percent));
}

std::string table_row(const std::string& label, const std::vector<std::string>& cells) {
  std::string line = fmt::format("  {:<{}}", label, kLabel);
  for (const std::string& cell : cells) line += fmt::format("{:>{}}", cell, kCell);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// One column per kind of engine, one row per stall reason in which any of them spent time.
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

std::string latency_text(const std::string& kind, const LatencySummary& l) {
  const auto time = [](double ns) { return time_text({static_cast<std::int64_t>(ns * 1e6)}); };
  return fmt::format("{} p50 {}, p99 {}", kind, time(l.p50_ns), time(l.p99_ns));
}

// The DRAM behind the bandwidth; empty for flat stacks.
std::string dram_rows(const HbmSummary& hbm) {
  std::string text;
  if (hbm.dram) {
    const RowShares& rows = hbm.dram->rows;
    const PinShares& pins = hbm.dram->pins;
    text +=
        row("  rows", fmt::format("hit {:.1f} %, miss {:.1f} %, conflict {:.1f} % of {} accesses",
                                  rows.hit_percent, rows.miss_percent, rows.conflict_percent, rows.accesses));
    text += row("  pins", fmt::format("data {:.1f} %; lost to refresh {:.1f} %, turnaround {:.1f} %, banks "
                                      "{:.1f} %; idle {:.1f} %",
                                      pins.data_percent, pins.refresh_percent, pins.turnaround_percent,
                                      pins.bank_percent, pins.idle_percent));
    text +=
        row("  queues", fmt::format("{:.1f} reads, {:.1f} writes in a channel on average; at most {} and {}",
                                    hbm.dram->reads.mean, hbm.dram->writes.mean, hbm.dram->reads.most,
                                    hbm.dram->writes.most));
  }
  if (hbm.reads.count + hbm.writes.count > 0)
    text += row("  latency", latency_text("reads", hbm.reads) + "; " + latency_text("writes", hbm.writes) +
                                 "; of the slowest stack");
  return text;
}

std::string fault_text(const StackFault& fault) {
  const model::StackFaults& f = fault.faults;
  std::vector<std::string> parts;
  if (f.rate < 1) parts.push_back(fmt::format("{:.4g} of its rate", f.rate));
  if (!f.failed().empty())
    parts.push_back(
        fmt::format("channel{} {} failed", f.failed().size() > 1 ? "s" : "", fmt::join(f.failed(), ", ")));
  if (f.correctable_errors > 0)
    parts.push_back(fmt::format("correctable errors at {:.4g} an access", f.correctable_errors));
  return fmt::format("{}: {}", fault.stack,
                     parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, "; ")));
}

std::string fault_rows(const HbmSummary& hbm) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNames, hbm.faults.size()); ++i)
    text += wrapped_row(i == 0 ? "  faults" : "", fault_text(hbm.faults[i]));
  if (hbm.faults.size() > kMostNames)
    text += row("", fmt::format("and those of {} other stacks", hbm.faults.size() - kMostNames));
  if (hbm.events > 0)
    text += wrapped_row(
        "  events",
        fmt::format("{}; first in {} at {}: {}", hbm.events, hbm.first_events.front().stack,
                    time_text(hbm.first_events.front().event.when), hbm.first_events.front().event.what));
  return text;
}

std::string memory_block(const Summary& s) {
  const HbmSummary& hbm = s.hbm;
  std::string text = "\nmemory\n";
  text += row("  HBM", fmt::format("{} read, {} written over {} stacks",
                                   si_text(static_cast<double>(hbm.read_bytes), "B"),
                                   si_text(static_cast<double>(hbm.write_bytes), "B"), hbm.stacks_used));
  const std::optional<double> mbu = s.mbu_estimated_percent(s.elapsed);
  const std::string peak = hbm.peak_bandwidth ? si_text(*hbm.peak_bandwidth, "B/s") : "ideal";
  text += row("", fmt::format("{} of {} peak{}", si_text(hbm.achieved_bandwidth(s.elapsed), "B/s"), peak,
                              mbu ? fmt::format(", MBU {:.1f} %", *mbu) : ""));
  if (!hbm.busiest_stack.empty())
    text += row("", fmt::format("busiest {} {:.1f} %, {} saturated ({})", hbm.busiest_stack,
                                hbm.busiest_percent, hbm.saturated_stacks, saturation_text(s.elapsed)));
  text += dram_rows(hbm) + fault_rows(hbm);
  return text + row("  DMA",
                    fmt::format("{} moved in {} transfers; engines busy {:.1f} %, any of 16 active {:.1f} %",
                                si_text(static_cast<double>(s.dma.bytes), "B"), s.dma.transfers,
                                s.dma.busy_percent, s.dma.active_percent));
}

std::string figures_block(const std::vector<WorkloadFigure>& figures) {
  if (figures.empty()) return "";
  std::size_t name = 0, value = 0;
  for (const WorkloadFigure& figure : figures) {
    name = std::max(name, figure.key.size());
    value = std::max(value, figure.text.size());
  }
  std::string text = "\nof the workload\n";
  for (const WorkloadFigure& figure : figures)
    text += fmt::format("  {:<{}}  {:>{}}  {}\n", figure.key, name, figure.text, value, figure.meaning);
  return text;
}

std::string golden_block(const GoldenResult& golden) {
  if (!golden.checked()) return golden.rule.empty() ? "" : "\n" + wrapped_row("golden", golden.rule);
  std::string text = "\ngolden reference\n";
  text += row("  verdict",
              golden.passed()
                  ? fmt::format("passed: {} elements within tolerance", golden.elements)
                  : fmt::format("FAILED: {} of {} elements wrong", golden.mismatches, golden.elements));
  text += row("  errors", fmt::format("largest absolute {:.4g}, largest relative {:.4g}, tolerance {:.4g}",
                                      golden.max_abs_error, golden.max_rel_error, golden.tolerance));
  text += wrapped_row("  rule", golden.rule);
  if (golden.failed() && !golden.first_mismatch.empty()) text += "\n" + golden.first_mismatch + "\n";
  return text;
}

}  // namespace

std::string summary_text(const Summary& s) {
  return head(s) + figures_block(s.facts.figures) + engine_table(s) +
         regions_text(s.facts.regions, s.facts.bottlenecks) + hot_spots_text(s.facts.hot_spots) +
         path_text(s.facts.path) + memory_block(s) + link_text(s.links) +
         collectives_text(s.facts.collectives) + golden_block(s.facts.golden);
}

}  // namespace tahoma::runtime
